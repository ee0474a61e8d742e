// SPDX-License-Identifier: Apache-2.0
//
// What pages are made of, of results and of comparisons.
#pragma once

#include "lib/picture.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {

// Safe between tags and between double quotes, in one line.
[[nodiscard]] std::string html_text(std::string_view text);

// The whole page around what stands in its main part, which is HTML.
[[nodiscard]] std::string html_page(const std::string& title, const std::string& main);

[[nodiscard]] std::string html_figure(const Picture& picture);

// A table that scrolls by itself where it is too wide; head and body are HTML.
[[nodiscard]] std::string html_wide_table(const std::string& name, const std::string& head,
                                          const std::string& body);

// The table with the id "results" sorts by its heads, and filters by words and by the attribute data-outcome of its rows.
[[nodiscard]] std::string html_table_tools(const std::string& what, const std::set<std::string>& choices);
[[nodiscard]] std::string html_sorting_heads(const std::vector<std::string>& names, bool numbers);
// A cell that sorts by its number; last without one.
[[nodiscard]] std::string html_number_cell(std::optional<double> value, const std::string& text);

}  // namespace assay::reporters
