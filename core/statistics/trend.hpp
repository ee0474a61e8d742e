// SPDX-License-Identifier: Apache-2.0
//
// Tests whether the rows of a run moved together from its first round to its last.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay::statistics {

struct Trend {
  std::size_t rows = 0;  // with two rounds or more
  double change = 0;     // of the median row from its first round to its last, as its values are
  double p = 1;          // of rounds as much in order, up or down, if each row's order were chance
};

// Mann and Kendall's test, of each row by itself and summed over rows (Hirsch, Slack and Smith 1982). rows: of each its values in order of
// rounds, on a scale on which rows can be compared, such as logarithms. What a round does to all rows alike is not a chance to it: few rounds
// in which that happened are often in order.
[[nodiscard]] Trend trend(std::span<const std::vector<double>> rows);

}  // namespace assay::statistics
