// SPDX-License-Identifier: Apache-2.0
//
// assay_pages NAME prints a page of docs/reference that is made from a table in the sources; ./dev docs
// writes it.
#include "check/check_table.hpp"
#include "result/exit_code.hpp"
#include "result/glossary.hpp"
#include "result/reasons.hpp"
#include "result/report_words.hpp"
#include "result/schema.hpp"
#include "suite/schema.hpp"

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  const std::string name = argc == 2 ? argv[1] : "";
  std::string text;
  if (name == "suite.md") {
    text =
        "# Suites\n\nMade from the parser's own table by `./dev docs`; a test compares. The language of "
        "`expect`, `let` and `claim` is on [its own page](expressions.md).\n\n" +
        assay::suite::suite_reference_markdown();
  } else if (name == "reasons.md") {
    text = assay::result::reasons_markdown();
  } else if (name == "glossary.md") {
    text = assay::result::glossary_markdown();
  } else if (name == "report-words.md") {
    text = assay::result::report_words_markdown();
  } else if (name == "outcomes.md") {
    text = assay::result::outcomes_markdown();
  } else if (name == "plugin-check.md") {
    text = assay::check::checks_markdown();
  } else if (name == "result.schema.json") {
    text = assay::result::document_schema().dump(2) + "\n";
  } else if (name == "comparison.schema.json") {
    text = assay::result::comparison_schema().dump(2) + "\n";
  } else {
    return 2;
  }
  std::fputs(text.c_str(), stdout);
}
