// SPDX-License-Identifier: Apache-2.0
#include "lib/axis_text.hpp"

#include "lib/text.hpp"

#include <algorithm>
#include <vector>

namespace assay::reporters {
namespace {

int digit_of(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const std::size_t at = kDigits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

// What stands at "%20", or '\0': a sign that ids never have as itself. Newlines and the like stay escaped, and
// so keep the text to a line.
char escaped(std::string_view at) {
  constexpr std::string_view kEscaped = " ,[]{}\"'`%\\";
  if (at.size() < 3 || at[0] != '%') return '\0';
  const int high = digit_of(at[1]), low = digit_of(at[2]);
  if (high < 0 || low < 0) return '\0';
  const char sign = static_cast<char>(high * 16 + low);
  return kEscaped.find(sign) == std::string_view::npos ? '\0' : sign;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string as_written(std::string_view escaped_text) {
  const std::string text = one_line(escaped_text);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char sign = escaped(std::string_view(text).substr(at));
    out += sign == '\0' ? text[at] : sign;
    if (sign != '\0') at += 2;
  }
  return out;
}

std::string axis_text(std::string_view text) {
  std::vector<std::string> values = split(text, '/');
  for (std::string& value : values) {
    const std::size_t colon = value.find(':');
    if (colon == std::string::npos) return as_written(text);
    value.erase(0, colon + 1);
  }
  const bool alike =
      std::all_of(values.begin(), values.end(), [&](const auto& one) { return one == values.front(); });
  if (!alike || values.size() < 2 || values.size() > 3 || !is_number(values.front())) return as_written(text);
  return values.front() + (values.size() == 3 ? "³" : "²");
}

std::string with_axis(const std::string& axis, const std::string& text) {
  const bool is_bare_number = text.find_first_not_of("0123456789.-") == std::string::npos;
  return is_bare_number || text == "true" || text == "false" ? axis + "=" + text : text;
}

}  // namespace assay::reporters
