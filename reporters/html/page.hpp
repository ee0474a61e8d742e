// SPDX-License-Identifier: Apache-2.0
//
// What pages are made of, of results and of comparisons.
#pragma once

#include "lib/picture.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace assay::reporters {

// Safe between tags and between double quotes, in one line.
[[nodiscard]] std::string html_text(std::string_view text);
// The same between tags, where what stands between two backticks is code, and names break as html_id() says.
[[nodiscard]] std::string html_sentence(std::string_view text);
// A name such as gemm[dtype=bf16,device=cuda:0], which a line may break behind "[" and "," only.
[[nodiscard]] std::string html_id(std::string_view text);
// What a line must not break, such as a number and its unit.
[[nodiscard]] std::string html_whole(std::string_view text);
// What to do: a command as code, words as words.
[[nodiscard]] std::string html_act(std::string_view act);

// The class of a verdict, an outcome or a status, the same on the whole page: good, bad, warn of what is open, dim of what says nothing.
[[nodiscard]] const char* html_tone(std::string_view verdict);
// It in words and in its colour; nothing of "".
[[nodiscard]] std::string html_verdict(std::string_view verdict);

// The whole page around what stands in its main part, which is HTML.
[[nodiscard]] std::string html_page(const std::string& title, const std::string& main);

// Of more rows or cases the rest is kept as text, and appended once the page is shown: so a page of many opens.
inline constexpr std::size_t kMostParsedAtOnce = 500;
// Parts that the script of the page appends to the element that this stands in. They are escaped, so that nothing ends it. What follows
// the end of a case's <details> in its part is parsed when it is opened.
[[nodiscard]] std::string html_kept(std::span<const std::string> parts);

[[nodiscard]] std::string html_figure(const Picture& picture);

}  // namespace assay::reporters
