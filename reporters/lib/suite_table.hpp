// SPDX-License-Identifier: Apache-2.0
//
// A table of the suite's own as cells of text: what console, Markdown and HTML have alike.
#pragma once

#include "lib/document.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

struct SuiteTable {
  std::string title;
  std::vector<std::string> head;               // the first one is of the rows' names, all others of numbers
  std::vector<std::vector<std::string>> rows;  // as long as the head; "–" where there is nothing
  std::vector<std::string> notes;              // why there is nothing, each once, with the rows
};

// Those that have rows. A column of a table with reference rows is followed by the ratios to these, with 95 % intervals.
// Texts are as the document has them.
[[nodiscard]] std::vector<SuiteTable> suite_tables(const Document& document);

}  // namespace assay::reporters
