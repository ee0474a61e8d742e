// SPDX-License-Identifier: Apache-2.0
#include "lib/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Span {
  char32_t first, last;
};

template <std::size_t N>
bool in(const std::array<Span, N>& spans, char32_t code) {
  return std::any_of(spans.begin(), spans.end(),
                     [code](const Span& span) { return code >= span.first && code <= span.last; });
}

// East Asian wide and full-width blocks, and emoji (Unicode 15, whole blocks).
constexpr std::array<Span, 14> kWide{{{0x1100, 0x115F},
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
constexpr std::array<Span, 8> kZero{{{0x0300, 0x036F},
                                     {0x0483, 0x0489},
                                     {0x1AB0, 0x1AFF},
                                     {0x1DC0, 0x1DFF},
                                     {0x200B, 0x200D},
                                     {0x20D0, 0x20FF},
                                     {0xFE00, 0xFE0F},
                                     {0xFE20, 0xFE2F}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kSpelling{
    {{"✓", "ok"},    {"✗", "FAIL"}, {"·", "|"},     {"×", "x"}, {"–", "-"},  {"—", "-"},   {"−", "-"},
     {"≥", ">="},    {"≤", "<="},   {"≠", "!="},    {"µ", "u"}, {"°", ""},   {"…", "..."}, {"→", "->"},
     {"θ", "theta"}, {"±", "+-"},   {"σ", "sigma"}, {"’", "'"}, {"“", "\""}, {"”", "\""}}};

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

std::string clean(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') {
      ++at;
      continue;
    }
    const Character character = decode(text, at);
    const bool invalid = character.code == 0xFFFD && character.length == 1;
    out += invalid || harmful(character.code) ? kReplacement : text.substr(at, character.length);
    at += character.length;
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\t' || c == ' ';
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
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

std::string pad(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string fill(used < width ? width - used : 0, ' ');
  return align == Align::left ? std::string(text) + fill : fill + std::string(text);
}

std::string shorten(std::string_view text, std::size_t width, std::string_view mark) {
  if (display_width(text) <= width) return std::string(text);
  if (width <= display_width(mark)) return std::string(mark.substr(0, width == 0 ? 0 : mark.size()));
  const std::size_t room = width - display_width(mark);
  std::size_t used = 0, at = 0;
  while (at < text.size()) {
    const Character character = decode(text, at);
    const std::size_t columns = display_width(text.substr(at, character.length));
    if (used + columns > room) break;
    used += columns;
    at += character.length;
  }
  while (at > 0 && text[at - 1] == ' ') --at;
  return std::string(text.substr(0, at)) + std::string(mark);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  const std::string flat = one_line(text);
  for (std::size_t at = 0; at < flat.size();) {
    const std::size_t end = std::min(flat.find(' ', at), flat.size());
    const std::string_view word = std::string_view(flat).substr(at, end - at);
    std::string& line = lines.back();
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.emplace_back(word);
    } else {
      if (!line.empty()) line += ' ';
      line += word;
    }
    at = end + 1;
  }
  return lines;
}

std::string to_ascii(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode(text, at);
    const std::string_view sign = text.substr(at, character.length);
    at += character.length;
    if (character.code < 0x80) {
      out += sign;
      continue;
    }
    const auto* found = std::find_if(kSpelling.begin(), kSpelling.end(),
                                     [sign](const auto& entry) { return entry.first == sign; });
    out += found == kSpelling.end() ? "?" : found->second;
  }
  return out;
}

std::string tail(std::string_view text, std::size_t lines, std::size_t bytes) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::size_t begin = text.size(), seen = 0;
  while (begin > 0) {
    if (text[begin - 1] == '\n' && ++seen == lines) break;
    --begin;
  }
  if (text.size() - begin > bytes) begin = text.size() - bytes;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0u) == 0x80u) ++begin;
  return std::string(text.substr(begin));
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string count_of(std::size_t count, std::string_view one, std::string_view many) {
  std::string out = std::to_string(count) + " ";
  if (count == 1) return out + std::string(one);
  return out + (many.empty() ? std::string(one) + "s" : std::string(many));
}

}  // namespace assay::reporters
