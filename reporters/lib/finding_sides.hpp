// SPDX-License-Identifier: Apache-2.0
//
// Both sides of each row of a finding, in one unit and in the digits that the same quantity has among the results.
#pragma once

#include "lib/document.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay::reporters {

// A finding may have as many rows as there are cases.
using CasesById = std::unordered_map<std::string_view, const Case*>;
[[nodiscard]] CasesById cases_by_id(const Document& document);

struct SideCells {
  std::string of_left,
      of_right;  // " (predicted_step_time)" behind a side's name, where it is not what its cases lead with; or ""
  std::string unit;  // of all of them, which none repeats; "" where each has its own
  struct Row {
    std::string left, right;  // "–" without a value
  };
  std::vector<Row> rows;  // as Finding::rows
};
[[nodiscard]] SideCells side_cells(const CasesById& cases, const Finding& finding);

}  // namespace assay::reporters
