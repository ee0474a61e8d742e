// SPDX-License-Identifier: Apache-2.0
#include "lib/text.hpp"

#include <algorithm>

namespace assay::reporters {

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

}  // namespace assay::reporters
