// SPDX-License-Identifier: Apache-2.0
//
// Parts of samples: how long something took in each of them, such as waiting for other ranks.
#pragma once

#include "judge/case_result.hpp"

#include <string>

namespace assay::judge {

// Adds a metric for each index of a part that the visits recorded, or makes the case an error where one is missing
// in a sample. Of several ranks a sample has the longest; the value is the median of the samples, as a duration's is.
// Nothing is added of a part that no rank ever recorded.
void add_part(CaseResult& result, const catalog::Metric& metric, double tick_s);

// What is wrong with a part that lasted longer than the sample that it is a part of, or below 0 s; "" if none is.
[[nodiscard]] std::string impossible_part(const CaseResult& result);

}  // namespace assay::judge
