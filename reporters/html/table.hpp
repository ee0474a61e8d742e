// SPDX-License-Identifier: Apache-2.0
//
// Tables of a page. A column that is empty in all rows is not drawn; a table that is too wide scrolls in a box of its own, which says so.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

enum class HtmlKind { text, number };

struct HtmlColumn {
  std::string name;
  HtmlKind kind = HtmlKind::text;
};

struct HtmlCell {
  std::string html;
  std::optional<double> value = std::nullopt;  // by which a column of numbers sorts; last without one
};

struct HtmlRow {
  std::vector<HtmlCell> cells;  // as the columns
  std::string outcome = {};     // of the table that filters by it
};

// "" without rows.
[[nodiscard]] std::string html_table(const std::string& name, const std::vector<HtmlColumn>& columns,
                                     const std::vector<HtmlRow>& rows);
// The one of a page that sorts by its heads, filters by words and by outcomes, which are called `what`, and has a row below
// another on a narrow screen. Columns named `kept` are drawn all the same.
[[nodiscard]] std::string html_results_table(const std::string& name, const std::string& what,
                                             const std::vector<HtmlColumn>& columns,
                                             const std::vector<HtmlRow>& rows, const std::string& kept);

// A table of texts. A heading says whether its column is of numbers.
using HtmlHead = std::vector<std::pair<std::string, bool>>;
[[nodiscard]] std::string html_text_table(const std::string& name, const HtmlHead& head,
                                          const std::vector<std::vector<std::string>>& rows);

// A table of names, each with its text; names without a text are left out. With heads, each name has one text a column.
struct HtmlPair {
  std::string name;
  std::vector<std::string> texts;
};
[[nodiscard]] std::string html_pairs(const std::string& name, const std::vector<HtmlPair>& pairs,
                                     const std::vector<std::string>& heads = {});

}  // namespace assay::reporters
