// SPDX-License-Identifier: Apache-2.0
#include "text/quote.hpp"

namespace assay {
namespace {

std::string xml(std::string_view text, bool attribute) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += attribute ? "&quot;" : "\"";
        break;
      case '\n':
        out += attribute ? "&#10;" : "\n";
        break;
      case '\t':
        out += attribute ? "&#9;" : "\t";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string shell_word(std::string_view word) {
  static constexpr std::string_view kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+@%";
  // zsh expands a leading '=', so '=' is not harmless at a word's begin; "--key=value" is.
  bool harmless = !word.empty();
  for (std::size_t i = 0; i < word.size() && harmless; ++i)
    harmless = kHarmless.find(word[i]) != std::string_view::npos || (word[i] == '=' && i > 0);
  if (harmless) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string xml_text(std::string_view text) { return xml(text, false); }

std::string xml_attribute(std::string_view text) { return xml(text, true); }

}  // namespace assay
