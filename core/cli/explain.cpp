// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "result/reasons.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <memory>

namespace assay::cli {
namespace {

// Tables print flags as words: "max time" for max_time.
const result::ReasonRow* find_printed(const std::string& words) {
  for (const char joint : {' ', '_', '-'}) {
    std::string code = words;
    std::replace(code.begin(), code.end(), ' ', joint);
    if (const result::ReasonRow* row = result::find_reason(code)) return row;
  }
  return nullptr;
}

}  // namespace

void add_explain(CLI::App& program, const Context& context, Action& action) {
  auto code = std::make_shared<std::string>();
  CLI::App* command = add_command(program, "explain", "say what a code in a report means and what to do",
                                  "  assay explain expectation.failed\n"
                                  "  assay explain                      all codes\n");
  command->add_option("code", *code, "as reports print it")->type_name("CODE");
  command->callback([code, &context, &action] {
    action = [code, &context] {
      if (code->empty()) {
        Table table;
        for (const result::ReasonRow& row : result::reason_table())
          table.add({std::string(row.code), std::string(result::to_text(row.severity))});
        print_out(table.text(""));
        return 0;
      }
      const result::ReasonRow* row = find_printed(*code);
      if (row == nullptr) {
        std::vector<std::string> known;
        for (const result::ReasonRow& each : result::reason_table()) known.emplace_back(each.code);
        const std::string hint = suggestion(*code, known);
        throw Error("usage.code", "there is no code '" + printable(*code) + "' (" +
                                      (hint.empty() ? "'assay explain' lists them" : hint) + ")");
      }
      print_out(std::string(row->code) + " (" + std::string(result::to_text(row->severity)) + ")\n\n" +
                paragraph(row->meaning, context.line_width()) + "\n" +
                paragraph("Next: " + std::string(row->next), context.line_width()));
      return 0;
    };
  });
}

}  // namespace assay::cli
