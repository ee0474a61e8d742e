// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "catalog/catalog.hpp"
#include "engine/surroundings.hpp"

#include <string>
#include <vector>

namespace assay::engine {

// The tables of peaks, first to last: the files that were named, those in `devices` of the user's suites,
// those in `devices` beside a plugin, and those that come with assay, whose sources alone stand by
// themselves: to the others where they are from is added. Problems go to diagnostics at their positions;
// throws Error "usage.file" for a named file that cannot be read.
[[nodiscard]] Json load_peaks(const Surroundings& surroundings, const catalog::Catalog& catalog,
                              const std::vector<std::string>& files, Diagnostics& diagnostics);

}  // namespace assay::engine
