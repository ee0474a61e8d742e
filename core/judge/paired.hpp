// SPDX-License-Identifier: Apache-2.0
//
// A row against its reference row, or against the peak that it measured beside its work: what is measured in one round is
// compared with what was measured in the same round, so that what slows a whole round down decides nothing.
#pragma once

#include "judge/case_result.hpp"

namespace assay::judge {

// Is the relation about the peak of a metric that measured it beside its work?
[[nodiscard]] bool faces_peak_beside_the_work(const suite::Expression& expression, const CaseResult& row);

// Decides a relation with `% of reference`, or of such a peak, anew, pair of values by pair, by the ratio of its sides in each common
// round and Student's t over these. Leaves it as it is with fewer than three common rounds, and where a side is
// no measurement with a value in each round (an observation, telemetry, a percentile). A row without a reference stands
// in for it.
void compare_round_by_round(const suite::Expression& expression, const CaseResult& row,
                            const CaseResult& reference, Relation& relation);

}  // namespace assay::judge
