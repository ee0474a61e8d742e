// SPDX-License-Identifier: Apache-2.0
//
// Escaping for the formats that reporters write. All take printable text (text/utf8.hpp) and never change what a
// reader sees.
#pragma once

#include "text/quote.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {

// A JSON string with its quotes.
[[nodiscard]] std::string json_text(std::string_view text);

// Words in running Markdown text or a table cell: one line, every character literal.
[[nodiscard]] std::string markdown_text(std::string_view text);
// The same, but what stands between two backticks is code: messages and suites write commands that way.
[[nodiscard]] std::string markdown_sentence(std::string_view text);
[[nodiscard]] std::string markdown_cell_sentence(std::string_view text);
// What such a sentence is made of, unescaped and in one line, for formats that mark code in another way.
struct SentencePiece {
  std::string text;
  bool is_code = false;
};
[[nodiscard]] std::vector<SentencePiece> sentence_pieces(std::string_view text);
// Code span; "" stays "". In a table cell the bar needs a backslash even inside a span, elsewhere it must
// have none.
[[nodiscard]] std::string markdown_code(std::string_view text);
[[nodiscard]] std::string markdown_cell_code(std::string_view text);
// A fenced block whose fence is longer than any run of backticks inside; ends with a newline.
[[nodiscard]] std::string markdown_block(std::string_view text, std::string_view language = {});

}  // namespace assay::reporters
