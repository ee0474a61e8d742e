// SPDX-License-Identifier: Apache-2.0
#include "text/fit.hpp"

#include "text/lookup.hpp"
#include "text/text.hpp"

#include <array>
#include <utility>

namespace assay {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kSpelling{
    {{"✓", "ok"},    {"✗", "FAIL"}, {"·", "|"},   {"×", "x"},  {"³", "^3"},    {"²", "^2"},
     {"–", "-"},     {"—", "-"},    {"−", "-"},   {"≥", ">="}, {"≤", "<="},    {"≠", "!="},
     {"µ", "u"},     {"°", ""},     {"…", "..."}, {"→", "->"}, {"θ", "theta"}, {"±", "+-"},
     {"σ", "sigma"}, {"’", "'"},    {"“", "\""},  {"”", "\""}}};

}  // namespace

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
    const auto* const found = find_value(kSpelling, sign);
    out += found == nullptr ? "?" : *found;
  }
  return out;
}

std::string paragraph(std::string_view text, int width) {
  return (width > 0 ? join(wrap(text, static_cast<std::size_t>(width)), "\n") : std::string(text)) + "\n";
}

}  // namespace assay
