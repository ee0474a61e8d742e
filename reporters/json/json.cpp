// SPDX-License-Identifier: Apache-2.0
#include "json/json.hpp"

#include "lib/text.hpp"

#include <fmt/format.h>

namespace assay::reporters {
namespace {

std::string escaped(char32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
  const std::uint32_t rest = static_cast<std::uint32_t>(code) - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

// Between its tokens JSON has line ends of any kind.
bool must_not_pass(const Character& character) { return character.code != U'\r' && harmful(character.code); }

}  // namespace

void render_json(std::string_view document, const std::function<void(std::string_view)>& write) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < document.size();) {
    const Character character = decode(document, at);
    if (must_not_pass(character)) {
      write(document.substr(begin, at - begin));
      write(escaped(character.code));
      begin = at + character.length;
    }
    at += character.length;
  }
  write(document.substr(begin));
}

}  // namespace assay::reporters
