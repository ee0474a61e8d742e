// SPDX-License-Identifier: Apache-2.0
#include "lib/escape.hpp"

#include "lib/text.hpp"

#include <algorithm>
#include <cstddef>

namespace assay::reporters {
namespace {

std::size_t longest_run(std::string_view text, char wanted) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

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

bool word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80u) != 0;
}

}  // namespace

std::string xml_text(std::string_view text) { return xml(text, false); }

std::string xml_attribute(std::string_view text) { return xml(text, true); }

std::string markdown_text(std::string_view text) {
  const std::string flat = one_line(text);
  std::string out;
  out.reserve(flat.size());
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const char c = flat[i];
    const char before = i > 0 ? flat[i - 1] : ' ';
    const char after = i + 1 < flat.size() ? flat[i + 1] : ' ';
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '_':  // inside a word it is literal already, and names are full of them
        out += word_character(before) && word_character(after) ? "_" : "\\_";
        break;
      case '#':
      case '>':  // harmless behind the start, because no "<" is left
      case '+':
      case '-':
        out += i == 0 ? std::string("\\") + c : std::string(1, c);
        break;
      case '.':
      case ')':  // "1." at the start would be a list
        out += i > 0 && after == ' ' && flat.find_first_not_of("0123456789") == i ? std::string("\\") + c
                                                                                  : std::string(1, c);
        break;
      case '@':  // a mention on the forges
        out += word_character(after) && !word_character(before) ? "&#64;" : "@";
        break;
      case '\\':
      case '`':
      case '*':
      case '[':
      case ']':
      case '|':
      case '~':
      case '$':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  const std::string flat = one_line(text);
  if (flat.empty()) return {};
  const std::string fence(longest_run(flat, '`') + 1, '`');
  const std::string space = flat.front() == '`' || flat.back() == '`' ? " " : "";
  return fence + space + flat + space + fence;
}

std::string markdown_cell_code(std::string_view text) {
  std::string out;
  for (const char c : markdown_code(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string markdown_block(std::string_view text, std::string_view language) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  std::string out = fence + std::string(language) + "\n" + std::string(text);
  if (out.back() != '\n') out += '\n';
  return out + fence + "\n";
}

}  // namespace assay::reporters
