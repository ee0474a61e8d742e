// SPDX-License-Identifier: Apache-2.0
#include "html/tables.hpp"

#include "html/page.hpp"
#include "html/table.hpp"
#include "lib/escape.hpp"
#include "lib/suite_table.hpp"

namespace assay::reporters {

std::string html_tables(const Document& document) {
  std::string out;
  for (const SuiteTable& table : suite_tables(document)) {
    out += "<section class=\"finding\"><h3>" + html_text(table.title) + "</h3>\n";
    HtmlHead head;
    for (const std::string& name : table.head) head.emplace_back(name, !head.empty());
    out += html_text_table(table.title, head, table.rows);
    for (const std::string& note : table.notes) out += "<p class=\"dim\">" + html_sentence(note) + "</p>\n";
    out += "</section>\n";
  }
  return out.empty() ? out : "<h2>Tables</h2>\n" + out;
}

}  // namespace assay::reporters
