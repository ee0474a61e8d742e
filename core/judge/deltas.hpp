// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"

#include <vector>

namespace assay::judge {

// The change that matters, as a share.
inline constexpr double kTheta = 0.02;

// One metric against the same metric of the reference row. With three or more common rounds:
// ln(row/reference) round by round and its t interval at this level. With fewer: the quotient of both verdict intervals
// without their run-to-run allowances, widened by the root of the sum of these allowances' squares. Verdict against kTheta: same, better, worse (different for a
// metric without direction), small (changed, and not shown to be by more than kTheta), undecided. No value for metrics that are not positive in both rows.
[[nodiscard]] std::optional<Delta> compare_metric(const MetricResult& row, const std::vector<int>& row_rounds,
                                                  const MetricResult& reference,
                                                  const std::vector<int>& reference_rounds,
                                                  double level = 0.95);

// Fills delta of every metric without indices.
void compute_deltas(CaseResult& result, const CaseResult& reference);

}  // namespace assay::judge
