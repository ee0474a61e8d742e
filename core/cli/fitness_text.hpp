// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fitness.hpp"

#include <string>
#include <vector>

namespace assay::cli {

using engine::Deviation;
using engine::Fitness;
using engine::UnfitSetting;

// All of it for people, a paragraph each, in lines of at most `width` columns where that is above 0; the answer comes first.
[[nodiscard]] std::string fitness_text(const Fitness& fitness, const std::vector<UnfitSetting>& unfit,
                                       const std::vector<Deviation>& between_processes, int width);

}  // namespace assay::cli
