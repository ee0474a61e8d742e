// SPDX-License-Identifier: Apache-2.0
#include "markdown/flags.hpp"

#include "lib/escape.hpp"
#include "lib/row_texts.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

// What is said of several cases: all that has one code, or one text as well.
struct SeenFlag {
  std::string code, text;
  bool same = true;  // all cases say the same text
  std::vector<const Case*> cases;
};

using CountsOfNames = std::map<std::string_view, std::size_t>;

// "`a[n=1]`, `a[n=2]`"; "all of `a`" where every case of the name that has values is among them.
std::string cases_cell(const CountsOfNames& known, const std::vector<const Case*>& cases) {
  CountsOfNames flagged;
  for (const Case* one : cases) ++flagged[one->name];
  std::vector<std::string> cells;
  std::set<std::string_view> told;
  for (const Case* one : cases) {
    const std::size_t count = flagged[one->name];
    if (count < 2 || count < known.at(one->name)) {
      cells.push_back(markdown_cell_code(one->id));
    } else if (told.insert(one->name).second) {
      cells.push_back("all of " + markdown_cell_code(one->name));
    }
  }
  return join(cells, ", ");
}

}  // namespace

void write_flags(const Document& document, Page& page) {
  // By code in the order in which cases have them; each with its texts, likewise.
  std::vector<SeenFlag> codes;
  std::vector<std::vector<SeenFlag>> texts;
  std::map<std::string_view, std::size_t> code_at;
  using Words = std::pair<std::string_view, std::string_view>;  // a code and a text, which the document holds
  std::map<Words, std::size_t> text_at;
  CountsOfNames known;
  std::size_t flags = 0;
  for (const Case& one : document.cases) {
    known[one.name] += one.has_values() ? 1 : 0;
    for (const Flag& flag : one.flags) {
      if (is_run_wide(flag)) continue;
      const auto [code, is_new_code] = code_at.emplace(flag.code, codes.size());
      if (is_new_code) {
        codes.push_back({flag.code, flag.text, true, {}});
        texts.emplace_back();
      }
      SeenFlag& seen = codes[code->second];
      std::vector<SeenFlag>& of_code = texts[code->second];
      const auto [text, is_new_text] = text_at.emplace(Words(flag.code, flag.text), of_code.size());
      if (is_new_text) of_code.push_back({flag.code, flag.text, true, {}});
      seen.same = seen.same && seen.text == flag.text;
      seen.cases.push_back(&one);
      of_code[text->second].cases.push_back(&one);
      ++flags;
    }
  }
  if (codes.empty()) return;
  page.heading(2, "Flags");
  std::vector<std::vector<std::string>> rows, each;
  bool more = false;
  for (const SeenFlag& seen : codes) {
    const bool alone = seen.cases.size() == 1;
    more = more || !alone;
    const std::string count =
        std::to_string(seen.cases.size()) + " of " + std::to_string(document.cases.size());
    rows.push_back({markdown_text(seen.code), alone ? markdown_cell_code(seen.cases.front()->id) : count,
                    (seen.same ? "" : "for instance: ") + markdown_cell_sentence(seen.text)});
  }
  page.table({"flag", "cases", "seen"}, rows);
  if (!more || !page.keeps(Detail::everything)) return;
  for (const std::vector<SeenFlag>& of_code : texts)
    for (const SeenFlag& seen : of_code)
      each.push_back(
          {markdown_text(seen.code), cases_cell(known, seen.cases), markdown_cell_sentence(seen.text)});
  page.begin_fold("The cases of " + count_of(flags, "flag"));
  page.table({"flag", "cases", "seen"}, each);
  page.end_fold();
}

}  // namespace assay::reporters
