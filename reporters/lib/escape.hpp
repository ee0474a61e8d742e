// SPDX-License-Identifier: Apache-2.0
//
// Escaping for the formats that reporters write. All take clean text (lib/text.hpp) and never change what a
// reader sees.
#pragma once

#include <string>
#include <string_view>

namespace assay::reporters {

// Element content. "]]>" cannot arise because ">" is escaped.
[[nodiscard]] std::string xml_text(std::string_view text);
// Attribute value, for double quotes; newlines and tabs become character references, so that parsers keep
// them.
[[nodiscard]] std::string xml_attribute(std::string_view text);

// A JSON string with its quotes.
[[nodiscard]] std::string json_text(std::string_view text);

// Words in running Markdown text or a table cell: one line, every character literal.
[[nodiscard]] std::string markdown_text(std::string_view text);
// The same, but what stands between two backticks is code: messages and suites write commands that way.
[[nodiscard]] std::string markdown_sentence(std::string_view text);
[[nodiscard]] std::string markdown_cell_sentence(std::string_view text);
// Code span; "" stays "". In a table cell the bar needs a backslash even inside a span, elsewhere it must
// have none.
[[nodiscard]] std::string markdown_code(std::string_view text);
[[nodiscard]] std::string markdown_cell_code(std::string_view text);
// A fenced block whose fence is longer than any run of backticks inside; ends with a newline.
[[nodiscard]] std::string markdown_block(std::string_view text, std::string_view language = {});

}  // namespace assay::reporters
