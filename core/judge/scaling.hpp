// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"

#include <vector>

namespace assay::judge {

// Flags each row (`slower_together`) whose ranks or devices, more of them than in a row that is alike otherwise, do
// less together, if the intervals of both totals are apart. Of the headline if that is a rate of items or
// operations; bytes a second of links are not a total.
void flag_shrinking_totals(std::vector<CaseResult>& cases);

}  // namespace assay::judge
