// SPDX-License-Identifier: Apache-2.0
//
// A finding whose verdict is that of some of its rows: `for: all`, `any` or `worst`.
#pragma once

#include "judge/claim.hpp"
#include "judge/findings.hpp"

#include <cstddef>
#include <string>

namespace assay::judge {

// The interval that holds with `level` for `comparisons` of them together (Bonferroni), of one that does for itself over so
// many rounds, at least 2: wider by the ratio of Student's quantiles. In logarithms, or of a difference in its own unit.
[[nodiscard]] ValueRange among(const ValueRange& interval, std::size_t rounds, std::size_t comparisons,
                               ClaimForm form, double level = 0.95);

// Sets verdict and why, and marks the rows that decide.
// all: confirmed where every row is, refuted where one is. any: confirmed where one row is, refuted where every row is.
// worst: as the row that lies farthest on the claim's wrong side. A row that decides alone does so by the interval that
// holds for all rows together; otherwise one of many would do so by chance.
void decide_by_rows(const Claim& claim, FindingResult& result);

}  // namespace assay::judge
