// SPDX-License-Identifier: Apache-2.0
//
// `tables` of a suite: rows of cases side by side, their columns computed, and compared with a reference row.
#pragma once

#include "judge/case_result.hpp"
#include "model/document.hpp"

#include <vector>

namespace assay::judge {

// Every table of the suite, in its order, with the rows that this run has. A ratio is made round by round, as deltas
// are; a cell that has no value, or no ratio, says why.
[[nodiscard]] std::vector<model::Table> make_tables(const suite::Suite& suite,
                                                    const std::vector<CaseResult>& cases);

}  // namespace assay::judge
