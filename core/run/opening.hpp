// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/manifest.hpp"
#include "run/run.hpp"

#include <string>
#include <vector>

namespace assay::run {

// What came of opening a plugin in a worker of its own, as each worker of a run does first.
struct Opening {
  std::string problem;             // why it does not open, in its own words if it has any; "" if it does
  std::vector<std::string> lines;  // that it logged meanwhile, "warning: an old driver"
};

// Ends within settings.answer_s and a moment.
[[nodiscard]] Opening open_plugin(const catalog::Manifest& manifest, const RunSettings& settings);

}  // namespace assay::run
