// SPDX-License-Identifier: Apache-2.0
//
// The table of all cases, and that of the checks over several of them. Cells are those of lib/view.hpp, so that a page says of a row what the
// console and Markdown say of it.
#pragma once

#include "lib/document.hpp"
#include "lib/numbers.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

// Escaped; "" where there are none.
[[nodiscard]] std::string html_results(const Document& document);
[[nodiscard]] std::string html_group_checks(const Document& document);

// What stands beside the values of a column of metrics, and the column's heading: what all of them are, or "interval" where they are
// not alike and each says what it is.
struct BesideColumn {
  std::string heading;
  std::vector<std::string> html;  // of each metric; null ones have ""
};
struct BesideValue {
  const Metric* metric = nullptr;
  std::string text;  // as ValueCell::beside or no_interval
};
[[nodiscard]] BesideColumn beside_column(const std::vector<BesideValue>& values);

}  // namespace assay::reporters
