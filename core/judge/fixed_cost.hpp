// SPDX-License-Identifier: Apache-2.0
//
// What of a case's samples does not grow with their iterations, and rates without it.
#pragma once

#include "judge/across_rounds.hpp"
#include "judge/case_result.hpp"
#include "statistics/fixed_cost.hpp"

#include <optional>

namespace assay::judge {

// Of a case whose visits all passed and were reduced; none where samples were not tested by pairs, or by too few.
[[nodiscard]] std::optional<FixedCost> fixed_cost_of(const CaseResult& result);

// What one visit says of a rate, whose samples hold `work` each: work over the time that grows. The ends of its interval are those of
// both the samples' and the cost's.
[[nodiscard]] RoundValue rate_by_slope(const VisitTimes& times, double work,
                                       const statistics::FixedTime& cost);

// "2.1 µs [1.9 µs, 2.3 µs], 12 % of a sample, do not grow with its iterations"
[[nodiscard]] std::string to_text(const FixedCost& cost);

}  // namespace assay::judge
