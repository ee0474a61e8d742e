// SPDX-License-Identifier: Apache-2.0
//
// Results that are kept under docs/results, whose rows have rounds.
#pragma once

#include "comparison/compare.hpp"

#include <string>
#include <vector>

namespace assay::proof {

// "h200/gemm-shapes": suites that are shipped first, then sweeps.
[[nodiscard]] const std::vector<std::string>& kept_results();
// How many of them are of suites that are shipped.
inline constexpr std::size_t kKeptSuites = 8;
[[nodiscard]] std::string text_of_kept(const std::string& name);
// A headline metric with rounds enough for an interval, all above zero.
[[nodiscard]] bool has_usable_rounds(const model::Metric& metric);

}  // namespace assay::proof
