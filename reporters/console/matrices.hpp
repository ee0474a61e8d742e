// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/pivot.hpp"
#include "text/table.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

// What the block measured between every two devices, in lines for a terminal: the table where there are
// differences to see and room for it, else what is said of it.
[[nodiscard]] std::vector<std::string> matrix_lines(const Block& block, const Style& style);

}  // namespace assay::reporters
