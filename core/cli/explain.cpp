// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "result/exit_code.hpp"
#include "result/glossary.hpp"
#include "result/reasons.hpp"
#include "result/report_words.hpp"
#include "text/fit.hpp"
#include "text/lookup.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {
namespace {

// A word that reports print, and what it means.
struct Entry {
  std::string word, kind;  // kind: a code's severity, "outcome", "word"
  std::string meaning, next;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> found;
    for (const result::ReasonRow& row : result::reason_table())
      found.push_back({std::string(row.code), std::string(to_text(row.severity)), std::string(row.meaning),
                       std::string(row.next)});
    for (const result::OutcomeRow& row : result::outcome_table())
      found.push_back({std::string(row.text()), "outcome", std::string(row.meaning), ""});
    for (const result::GlossaryRow& row : result::glossary())
      found.push_back({std::string(row.word), "word", std::string(row.meaning), ""});
    for (const result::GlossaryRow& row : result::report_words())
      found.push_back({std::string(row.word), "word of reports", std::string(row.meaning), ""});
    return found;
  }();
  return all;
}

// Without its full stop, as a list has it.
std::string first_sentence(std::string text) {
  text.erase(std::min(text.find(". "), text.size()));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

const Entry* entry_for(std::string_view word) {
  return find_in(entries(), [&](const Entry& each) { return each.word == word; });
}

// Tables print flags and outcomes as words: "max time" for max_time, "few samples" for interval.few-samples.
const Entry* find_printed(const std::string& words) {
  if (words.size() > 2 && words.starts_with('(') && words.ends_with(')'))
    return find_printed(words.substr(1, words.size() - 2));
  for (const std::string_view mark : {"! ", "~ ", "✓ ", "✗ ", "– ", "? "})
    if (words.starts_with(mark))
      if (const Entry* const marked = find_printed(words.substr(mark.size()))) return marked;
  for (const char joint : {' ', '_', '-'}) {
    std::string code = words;
    std::replace(code.begin(), code.end(), ' ', joint);
    if (const Entry* const found = entry_for(code)) return found;
  }
  std::string ending = "." + words;
  std::replace_if(
      ending.begin(), ending.end(), [](char c) { return c == ' ' || c == '_'; }, '-');
  const Entry* const of_a_group =
      find_in(entries(), [&](const Entry& each) { return each.word.ends_with(ending); });
  if (words.find_first_of(" _") != std::string::npos && of_a_group != nullptr) return of_a_group;
  const result::GlossaryRow* row = result::find_printed_word(words);
  if (row == nullptr) {  // a word of the command line, as completion gives it
    std::string spoken = words;
    std::replace(spoken.begin(), spoken.end(), '_', ' ');
    row = result::find_printed_word(spoken);
  }
  if (row != nullptr) return entry_for(row->word);
  // "undecided over device", of a group check.
  const std::size_t over = words.find(" over ");
  return over == std::string::npos ? nullptr : find_printed(words.substr(0, over));
}

}  // namespace

void add_explain(CLI::App& program, const Context& context, Action& action) {
  auto word = std::make_shared<std::string>();
  CLI::App* command =
      add_command(program, "explain", "say what a code or a word in a report means, and what to do",
                  "  assay explain expectation.failed\n"
                  "  assay explain undecided\n"
                  "  assay explain                      all of them\n");
  value_option(*command, "word", "WORD", *word, "code or word of a report; without it, all are listed");
  act(*command, action, [word, &context] {
    if (word->empty()) {
      AlignedTable table;
      for (const Entry& each : entries())
        table.add({each.word, each.kind, first_sentence(printable(each.meaning))});
      print_out(table.text("", context.line_width()));
      return 0;
    }
    const Entry* found = find_printed(*word);
    if (found == nullptr) {
      std::vector<std::string> known;
      for (const Entry& each : entries()) known.push_back(each.word);
      throw Error("usage.code", "no report has the code or word '" + printable(*word) + "' (" +
                                    suggestion(*word, known, "'assay explain' lists them") + ")");
    }
    std::string text =
        found->word + " (" + found->kind + ")\n\n" + paragraph(found->meaning, context.line_width());
    if (!found->next.empty()) text += "\n" + paragraph("Next: " + found->next, context.line_width());
    print_out(text);
    return 0;
  });
}

}  // namespace assay::cli
