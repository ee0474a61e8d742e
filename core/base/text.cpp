// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace assay {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the valid UTF-8 sequence at the start of `text`, or 0 if there is none. `code` gets the code
// point.
std::size_t sequence_length(std::string_view text, std::uint32_t& code) {
  const auto at = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = at(0);
  std::size_t length = 0;
  std::uint32_t smallest = 0;
  if (first < 0x80) {
    code = first;
    return 1;
  }
  if ((first & 0xE0U) == 0xC0U) {
    length = 2, smallest = 0x80, code = first & 0x1FU;
  } else if ((first & 0xF0U) == 0xE0U) {
    length = 3, smallest = 0x800, code = first & 0x0FU;
  } else if ((first & 0xF8U) == 0xF0U) {
    length = 4, smallest = 0x10000, code = first & 0x07U;
  } else {
    return 0;
  }
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0U) != 0x80U) return 0;
    code = (code << 6U) | (at(i) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < smallest || code > 0x10FFFF || surrogate ? 0 : length;
}

// C0 and C1 controls but newline and tab, the characters that change the direction of what follows, line
// separators, and what is there but cannot be seen (byte order marks, annotations, tags).
bool harmful(std::uint32_t code) {
  if (code == '\n' || code == '\t') return false;
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x2028 || code == 0x2029 || code == 0xFEFF ||
         (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F) ||
         (code & 0xFFFEU) == 0xFFFE;
}

}  // namespace

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::uint32_t code = 0;
    const std::size_t length = sequence_length(text, code);
    if (length == 0 || harmful(code)) {
      result += kReplacement;
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string tail(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::string_view kept = text.substr(text.size() - limit);
  const std::size_t newline = kept.find('\n');
  if (newline != std::string_view::npos && newline + 1 < kept.size()) kept.remove_prefix(newline + 1);
  return "[… " + std::to_string(text.size() - kept.size()) + " bytes left out]\n" + std::string(kept);
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace assay
