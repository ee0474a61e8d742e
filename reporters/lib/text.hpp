// SPDX-License-Identifier: Apache-2.0
//
// Text as reporters handle it: cleaned, measured in columns of a terminal, cut and padded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {

// Valid UTF-8 that cannot steer a terminal or an XML parser: invalid bytes, control characters (C0 but
// newline and tab, DEL, C1), bidirectional overrides and non-characters become U+FFFD. CR LF becomes a
// newline. Idempotent.
[[nodiscard]] std::string clean(std::string_view text);

// Would clean() replace it?
[[nodiscard]] bool harmful(char32_t code);

// Newlines and tabs as single spaces, ends trimmed.
[[nodiscard]] std::string one_line(std::string_view text);

// Columns that a terminal uses: 0 for combining marks, 2 for wide characters. `text` is clean.
[[nodiscard]] std::size_t display_width(std::string_view text);

enum class Align { left, right };
// Filled with spaces to `width` columns; longer text is left as it is.
[[nodiscard]] std::string pad(std::string_view text, std::size_t width, Align align = Align::left);

// At most `width` columns; what is cut off is shown by the mark.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width, std::string_view mark = "…");

// Lines of at most `width` columns, broken at spaces; a longer word stays whole. Never empty.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

// The same in ASCII: known signs get a spelling (× x, ≥ >=, µ u, – -), others "?".
[[nodiscard]] std::string to_ascii(std::string_view text);

// The last lines of a log, at most `lines` of them and `bytes` bytes; never cuts inside a character.
[[nodiscard]] std::string tail(std::string_view text, std::size_t lines, std::size_t bytes);

// A word for sh and zsh: as it is if it needs no quotes, else in single quotes.
[[nodiscard]] std::string shell_word(std::string_view word);

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);

// With a capital first letter, if that is one of ASCII.
[[nodiscard]] std::string capitalised(std::string text);

// "1 case", "2 cases"; `many` defaults to one + "s".
[[nodiscard]] std::string count_of(std::size_t count, std::string_view one, std::string_view many = {});

// One character, decoded. `length` is its bytes; an invalid byte gives U+FFFD and length 1.
struct Character {
  char32_t code = 0;
  std::size_t length = 1;
};
[[nodiscard]] Character decode(std::string_view text, std::size_t at);

}  // namespace assay::reporters
