// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.hpp"

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct CodeRange {
  char32_t first, last;
};

template <std::size_t N>
bool in(const std::array<CodeRange, N>& spans, char32_t code) {
  return std::any_of(spans.begin(), spans.end(),
                     [code](const CodeRange& span) { return code >= span.first && code <= span.last; });
}

// East Asian wide and full-width blocks, and emoji (Unicode 15, whole blocks).
constexpr std::array<CodeRange, 14> kWide{{{0x1100, 0x115F},
                                           {0x2E80, 0x303E},
                                           {0x3041, 0x33FF},
                                           {0x3400, 0x4DBF},
                                           {0x4E00, 0x9FFF},
                                           {0xA000, 0xA4CF},
                                           {0xAC00, 0xD7A3},
                                           {0xF900, 0xFAFF},
                                           {0xFE30, 0xFE6F},
                                           {0xFF00, 0xFF60},
                                           {0xFFE0, 0xFFE6},
                                           {0x1F300, 0x1F64F},
                                           {0x1F680, 0x1FAFF},
                                           {0x20000, 0x3FFFD}}};

// Combining marks, joiners and variation selectors.
constexpr std::array<CodeRange, 8> kZero{{{0x0300, 0x036F},
                                          {0x0483, 0x0489},
                                          {0x1AB0, 0x1AFF},
                                          {0x1DC0, 0x1DFF},
                                          {0x200B, 0x200D},
                                          {0x20D0, 0x20FF},
                                          {0xFE00, 0xFE0F},
                                          {0xFE20, 0xFE2F}}};

}  // namespace

bool harmful(char32_t code) {
  if (code < 0x20) return code != '\n' && code != '\t';
  if (code >= 0x7F && code <= 0x9F) return true;
  if (code >= 0x202A && code <= 0x202E) return true;  // overrides what the eye reads
  if (code >= 0x2066 && code <= 0x2069) return true;
  if (code == 0x2028 || code == 0x2029 || code == 0xFEFF) return true;  // line separators, byte order mark
  if ((code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F))
    return true;  // not to be seen
  return (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
}

Character decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || at + length > text.size()) return {0xFFFD, 1};
  char32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0u) != 0x80u) return {0xFFFD, 1};
    code = (code << 6) | (byte(at + i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {0xFFFD, 1};
  return {code, length};
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Character character = decode(text, at);
    if (!character.valid()) return false;
    at += character.length;
  }
  return true;
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::string printable(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') {
      ++at;
      continue;
    }
    const Character character = decode(text, at);
    out += !character.valid() || harmful(character.code) ? kReplacement : text.substr(at, character.length);
    at += character.length;
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode(text, at);
    at += character.length;
    width += in(kZero, character.code) ? 0 : in(kWide, character.code) ? 2 : 1;
  }
  return width;
}

}  // namespace assay
