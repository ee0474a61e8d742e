// SPDX-License-Identifier: Apache-2.0
#include "lib/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kSpelling{
    {{"✓", "ok"},    {"✗", "FAIL"}, {"·", "|"},   {"×", "x"},  {"³", "^3"},    {"²", "^2"},
     {"–", "-"},     {"—", "-"},    {"−", "-"},   {"≥", ">="}, {"≤", "<="},    {"≠", "!="},
     {"µ", "u"},     {"°", ""},     {"…", "..."}, {"→", "->"}, {"θ", "theta"}, {"±", "+-"},
     {"σ", "sigma"}, {"’", "'"},    {"“", "\""},  {"”", "\""}}};

}  // namespace

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

std::string last_lines(std::string_view text, std::size_t lines, std::size_t bytes) {
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

std::string in_words(std::string_view code) {
  std::string out = one_line(code);
  std::replace(out.begin(), out.end(), '_', ' ');
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
