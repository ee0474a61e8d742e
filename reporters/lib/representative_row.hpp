// SPDX-License-Identifier: Apache-2.0
//
// The row that stands for a finding.
#pragma once

#include "lib/document.hpp"

#include <string_view>

namespace assay::reporters {

// Of the rows that have the finding's verdict the one whose interval comes nearest to another verdict, so
// that what is said of it holds in all of them; of undecided ones that with the largest effect. A row of
// another verdict only if none has the finding's. Null if there are no rows.
[[nodiscard]] const FindingRow* representative_row(const Finding& finding);

// Whether the claim compares by this sign, or by one that has it: "<" of `<=`.
[[nodiscard]] bool claims(const Finding& finding, std::string_view sign);

// Whether several rows are all confirmed, or all refuted.
[[nodiscard]] bool has_many_rows_of_one_verdict(const Finding& finding);

}  // namespace assay::reporters
