// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "baseline/baseline.hpp"
#include "comparison/reading.hpp"

#include <span>
#include <string>
#include <vector>

namespace assay::baseline {

struct NewBaseline {
  Baseline baseline;
  // A sentence for each row that makes no band, and for each case that did not pass.
  std::vector<std::string> left_out;
};

// From results of eight devices of a model or more, or of eight runs or more on one device. A device that was measured several times counts once.
// Throws Error "baseline.refused" for results that cannot be a healthy device's (simulated, under --quick or --wrap), for devices of
// different kinds, and if no row gives a band.
[[nodiscard]] NewBaseline make(std::span<const comparison::LoadedResult> readings);

}  // namespace assay::baseline
