// SPDX-License-Identifier: Apache-2.0
//
// What all kinds of metrics share on the way from values of rounds to what is published.
#pragma once

#include "judge/across_rounds.hpp"
#include "judge/case_result.hpp"
#include "statistics/interval.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::judge {

// Makes the case an error, unless something else did before.
void refuse(CaseResult& result, std::string code, std::string text);

// A metric as it is declared, without a value.
[[nodiscard]] MetricResult described(const catalog::MetricDeclaration& metric);

[[nodiscard]] std::optional<ValueRange> plain(const std::optional<statistics::ConfidenceInterval>& interval);

void set_unit(const UnitText& unit, MetricResult& metric);

// Adds a metric with its value over rounds and the spread of its samples; every round has some.
MetricResult& add_sampled(CaseResult& result, MetricResult metric, const std::vector<RoundValue>& rounds,
                          double allowance);

}  // namespace assay::judge
