// SPDX-License-Identifier: Apache-2.0
//
// Characters of UTF-8: decoded, made harmless, and measured in columns of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

// One character, decoded. `length` is its bytes; an invalid byte gives U+FFFD and length 1.
struct Character {
  char32_t code = 0;
  std::size_t length = 1;
  [[nodiscard]] bool valid() const { return code != 0xFFFD || length != 1; }
};
// `at` is less than the text's size.
[[nodiscard]] Character decode(std::string_view text, std::size_t at);

// Would printable() replace it?
[[nodiscard]] bool harmful(char32_t code);

// Valid UTF-8 that cannot steer a terminal or an XML parser: invalid bytes, control characters (C0 but
// newline and tab, DEL, C1), bidirectional overrides and non-characters become U+FFFD. CR LF becomes a
// newline. Everything that comes from a plugin, a log, the environment or a document passes through it before it
// is kept or shown. Idempotent.
[[nodiscard]] std::string printable(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);
// Does it consist of visible ASCII and spaces alone? Then printable() leaves it as it is.
[[nodiscard]] bool is_plain(std::string_view text);

// Columns that a terminal uses: 0 for combining marks, 2 for wide characters. `text` is printable.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace assay
