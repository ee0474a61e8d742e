// SPDX-License-Identifier: Apache-2.0
//
// What a finding says where --filter, --only or --failed left out rows that it is about: nobody knows what they would
// have been.
#pragma once

#include "judge/finding_operands.hpp"
#include "judge/findings.hpp"

#include <string>
#include <vector>

namespace assay::judge {

// Why a row has no value: best() or a function over an axis goes over rows that were left out. "" if none was.
[[nodiscard]] std::string left_out_of(const JoinedRow& row, const std::vector<ClaimOperand>& operands);

// Opens the verdict of the whole where rows were left out that could change it: not where one row is enough, as for
// `for: any` that is confirmed and `for: all` that is refuted.
void open_for_left_out(const std::vector<ClaimOperand>& operands, FindingResult& result);

}  // namespace assay::judge
