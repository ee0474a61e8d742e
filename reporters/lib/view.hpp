// SPDX-License-Identifier: Apache-2.0
//
// What the rows of a block show: cells with types, made once, which reporters lay out and print.
#pragma once

#include "lib/numbers.hpp"
#include "lib/pivot.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::reporters {

// A value against that of the reference.
struct ChangeCell {
  std::string text;                     // "−22.8 %", "same", "reference", or ""
  std::optional<DeltaVerdict> verdict;  // none of the reference
  std::string open = {};                // what is not known of it: "undecided", "perhaps below 2 %"; or ""
};
[[nodiscard]] ChangeCell change_of(const Row& row, const Metric& metric);

// A metric in a row: of the worst of its members.
struct ValueCell {
  const Metric* metric = nullptr;  // null if no member has it; there may be a limit all the same
  Scale scale;                     // the column's, or its own; what stands beside the value is in it, too
  std::string beside;              // "[40.9, 41.5], mean 42.3", "39.1–41.0", "3 of 4 measured", or ""
  std::string no_interval;         // "few samples": why nothing stands beside it
  std::string share;               // "83 %" of peak
  ChangeCell change;
  std::string limit;  // "≥ 60 %"
};

struct MetricColumn {
  std::string metric;
  std::optional<Scale> scale;  // of all its values; else each has its own
  std::string of_members;      // "worst of 4" where rows have several members
  std::string beside;  // heading of what stands beside the values: "range", "95 % over 5 rounds", or ""
};

struct BlockView {
  std::string caption;                       // what all its cases share, and whether they were verified
  std::vector<MetricColumn> columns;         // as Block::metrics
  std::vector<std::vector<ValueCell>> rows;  // as Block::rows; of each the cells, as the columns
};
[[nodiscard]] BlockView view_of(const Block& block);

}  // namespace assay::reporters
