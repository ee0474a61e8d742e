// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/pivot.hpp"
#include "text/table.hpp"

#include <vector>

namespace assay::reporters {

// The table of all cases: a heading a block, a row a point of its matrix, failing group checks under it.
[[nodiscard]] AlignedTable case_table(const std::vector<Block>& blocks, const Style& style);

}  // namespace assay::reporters
