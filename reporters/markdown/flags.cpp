// SPDX-License-Identifier: Apache-2.0
#include "markdown/flags.hpp"

#include "lib/escape.hpp"
#include "lib/row_texts.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace assay::reporters {
namespace {

// What is said of several cases: all that has one code, or one text, too.
struct SeenFlag {
  std::string code, text;
  bool same = true;  // all cases say the same text
  std::vector<const Case*> cases;
};

SeenFlag& seen_of(std::vector<SeenFlag>& all, const Flag& flag, bool with_text) {
  auto* const found = find_in(all, [&](const SeenFlag& seen) {
    return seen.code == flag.code && (!with_text || seen.text == flag.text);
  });
  return found != nullptr ? *found : all.emplace_back(SeenFlag{flag.code, flag.text, true, {}});
}

// "`a[n=1]`, `a[n=2]`"; "all of `a`" where every case of the name that has values is among them.
std::string cases_cell(const Document& document, const std::vector<const Case*>& cases) {
  std::map<std::string, std::size_t> known, flagged;
  for (const Case& one : document.cases) known[one.name] += one.has_values() ? 1 : 0;
  for (const Case* one : cases) ++flagged[one->name];
  std::vector<std::string> cells, told;
  for (const Case* one : cases) {
    if (flagged[one->name] < 2 || flagged[one->name] < known[one->name]) {
      cells.push_back(markdown_cell_code(one->id));
    } else if (!contains(told, one->name)) {
      told.push_back(one->name);
      cells.push_back("all of " + markdown_cell_code(one->name));
    }
  }
  return join(cells, ", ");
}

}  // namespace

void write_flags(const Document& document, Page& page) {
  std::vector<SeenFlag> codes, texts;
  for (const Case& one : document.cases) {
    for (const Flag& flag : one.flags) {
      if (is_run_wide(flag)) continue;
      SeenFlag& code = seen_of(codes, flag, false);
      code.same = code.same && code.text == flag.text;
      code.cases.push_back(&one);
      seen_of(texts, flag, true).cases.push_back(&one);
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
  std::size_t flags = 0;
  for (const SeenFlag& code : codes)
    for (const SeenFlag& seen : texts) {
      if (seen.code != code.code) continue;
      flags += seen.cases.size();
      each.push_back(
          {markdown_text(seen.code), cases_cell(document, seen.cases), markdown_cell_sentence(seen.text)});
    }
  page.begin_fold("The cases of " + count_of(flags, "flag"));
  page.table({"flag", "cases", "seen"}, each);
  page.end_fold();
}

}  // namespace assay::reporters
