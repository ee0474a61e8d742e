// SPDX-License-Identifier: Apache-2.0
//
// What the cases of a finding's row measured, round by round.
#pragma once

#include "judge/finding_operands.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::judge {

// What a case measured in a round; none of a metric with several values.
[[nodiscard]] std::optional<double> round_value(const CaseResult& result, const std::string& metric,
                                                int round);

// The least and the largest value that a case gave in a round of what is observed; of what is measured, and of a derived
// quantity, the round's value twice. There must be one.
[[nodiscard]] ValueRange round_range(const CaseResult& result, const MetricResult& metric, int round);

// The rounds in which every case of a row has a value, in order.
[[nodiscard]] std::vector<int> common_rounds(const JoinedRow& row);

// Why a row has no verdict before any arithmetic; "" if it has all it needs. Candidates of best() and argmax() that this
// machine cannot run are left out.
[[nodiscard]] std::string prepare(JoinedRow& row, const std::vector<ClaimOperand>& operands);

}  // namespace assay::judge
