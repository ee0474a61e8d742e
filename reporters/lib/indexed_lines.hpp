// SPDX-License-Identifier: Apache-2.0
//
// Metrics with indices in a line each, where no table has them.
#pragma once

#include "lib/pivot.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace assay::reporters {

// "bw, 3 values: 50 GB/s, 10 GB/s, 30 GB/s"; of more than six "bw, 64 values from 1 GB/s to 50 GB/s". In front of it the row, and its
// member, where the block has several. What stands in a matrix is left out.
[[nodiscard]] std::vector<std::string> indexed_lines(const Block& block);
// The same of cases that run a command, of which everything that the suite declares is shown.
[[nodiscard]] std::vector<std::string> indexed_lines_of_commands(const Block& block);
// The same without metrics of one index, which a table beside it has.
[[nodiscard]] std::vector<std::string> indexed_lines_beside_table(const Block& block);

}  // namespace assay::reporters
