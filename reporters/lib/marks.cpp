// SPDX-License-Identifier: Apache-2.0
#include "lib/marks.hpp"

#include "lib/text.hpp"

#include <algorithm>

namespace assay::reporters {

std::vector<CommonMark> common_marks(const Document& document) {
  constexpr std::size_t kFewestCases = 3;
  std::vector<CommonMark> common;
  for (const model::Mark& mark : model::kMarks) {
    CommonMark seen{&mark, 0, 0, {}, true};
    for (const Case& one : document.cases) {
      if (!one.has_values()) continue;
      ++seen.of;
      const Flag* const flag = model::find_flag(one.flags, mark.code);
      if (flag == nullptr) continue;
      const std::string text = one_line(flag->text);
      if (seen.cases++ == 0) seen.text = text;
      seen.same = seen.same && seen.text == text;
    }
    if (seen.of >= kFewestCases && 2 * seen.cases > seen.of) common.push_back(std::move(seen));
  }
  return common;
}

const model::Mark* mark_of(const Case& one, const std::vector<CommonMark>& common) {
  for (const model::Mark& mark : model::kMarks) {
    const bool said =
        std::any_of(common.begin(), common.end(), [&](const CommonMark& each) { return each.mark == &mark; });
    if (!said && model::find_flag(one.flags, mark.code) != nullptr) return &mark;
  }
  return nullptr;
}

std::string mark_text(const model::Mark* mark) {
  return mark == nullptr ? std::string() : std::string(mark->sign) + " " + std::string(mark->words);
}

}  // namespace assay::reporters
