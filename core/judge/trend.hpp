// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"

#include <optional>
#include <vector>

namespace assay::judge {

// Whether rows became slower, or faster, from round to round: one test for the whole run, of the first rate or time of each case that was
// measured. Nothing where chance explains it, or where it is too little to matter.
[[nodiscard]] std::optional<model::RoundTrend> trend_of(const std::vector<CaseResult>& cases);

}  // namespace assay::judge
