// SPDX-License-Identifier: Apache-2.0
#include "markdown/tables.hpp"

#include "lib/escape.hpp"
#include "lib/suite_table.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

void write_tables(const Document& document, Page& page) {
  const std::vector<SuiteTable> tables = suite_tables(document);
  if (tables.empty()) return;
  page.heading(2, "Tables");
  for (const SuiteTable& table : tables) {
    page.heading(3, markdown_text(table.title));
    std::vector<std::string> head;
    for (const std::string& name : table.head)
      head.push_back(markdown_text(name) + (head.empty() ? "" : "\t"));
    std::vector<std::vector<std::string>> rows;
    for (const std::vector<std::string>& row : table.rows) {
      std::vector<std::string>& cells = rows.emplace_back();
      for (const std::string& text : row) cells.push_back(markdown_text(text));
    }
    page.table(head, rows);
    std::string notes;
    for (const std::string& note : table.notes) notes += "- " + markdown_text(note) + "\n";
    page.block(notes);
  }
}

}  // namespace assay::reporters
