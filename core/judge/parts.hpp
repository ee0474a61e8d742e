// SPDX-License-Identifier: Apache-2.0
//
// Parts of samples: how long something took in each of them, such as waiting for other ranks.
#pragma once

#include "judge/case_result.hpp"

#include <string>

namespace assay::judge {

// Adds a metric for each index of a part that the visits recorded. The case becomes an error if a sample lacks an
// index. The longest part of all ranks counts in each sample; the value is the median of the samples, as for a
// duration. A part that no rank ever recorded adds no metric.
void add_part(CaseResult& result, const catalog::MetricDeclaration& metric, double tick_s);

// A sentence about a part that is longer than its sample, or shorter than 0 s; "" if there is none.
[[nodiscard]] std::string impossible_part(const CaseResult& result);

}  // namespace assay::judge
