// SPDX-License-Identifier: Apache-2.0
#include "lib/escape.hpp"

#include "lib/text.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

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

bool word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80u) != 0;
}

// Every character literal, wherever it stands.
std::string literal(std::string_view flat) {
  std::string out;
  out.reserve(flat.size());
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const char c = flat[i];
    const char before = i > 0 ? flat[i - 1] : ' ';
    const char after = i + 1 < flat.size() ? flat[i + 1] : ' ';
    switch (c) {
      case '<':  // no tag begins with a space, and "< 0.98" stays readable
        out += flat.substr(i + 1).starts_with(' ') ? "<" : "&lt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '_':  // inside a word it is literal already, and names are full of them
        out += word_character(before) && word_character(after) ? "_" : "\\_";
        break;
      case '#':
      case '>':  // harmless behind the start, because no "<" is left that begins a tag
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

// Where the next piece of code begins and ends: a single backtick, words, a single backtick. npos twice if
// there is none.
std::pair<std::size_t, std::size_t> next_code(std::string_view text, std::size_t from) {
  for (std::size_t begin = text.find('`', from); begin != std::string_view::npos;) {
    const std::size_t run = std::min(text.find_first_not_of('`', begin), text.size());
    const std::size_t end = text.find('`', run);
    if (end == std::string_view::npos) break;
    const std::size_t after = std::min(text.find_first_not_of('`', end), text.size());
    const bool single = run == begin + 1 && after == end + 1;
    if (single && text[run] != ' ' && text[end - 1] != ' ') return {begin, end};
    begin = run == begin + 1 ? end : text.find('`', run);
  }
  return {std::string_view::npos, std::string_view::npos};
}

template <typename Code>
std::string sentence(std::string_view text, const Code& code) {
  std::string out;
  for (const SentencePiece& piece : sentence_pieces(text))
    out += piece.is_code ? code(piece.text) : literal(piece.text);
  return out;
}

}  // namespace

// Clean text has no other control characters.
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        out += '\\';
        out += c;
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += c;
    }
  }
  return out + '"';
}

std::vector<SentencePiece> sentence_pieces(std::string_view text) {
  const std::string flat = one_line(text);
  std::vector<SentencePiece> out;
  const auto add = [&](std::size_t begin, std::size_t end, bool is_code) {
    if (begin < end) out.push_back({flat.substr(begin, end - begin), is_code});
  };
  std::size_t from = 0;
  for (auto [begin, end] = next_code(flat, 0); begin != std::string::npos;
       std::tie(begin, end) = next_code(flat, from)) {
    add(from, begin, false);
    add(begin + 1, end, true);
    from = end + 1;
  }
  add(from, flat.size(), false);
  return out;
}

std::string markdown_text(std::string_view text) { return literal(one_line(text)); }

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

std::string markdown_sentence(std::string_view text) { return sentence(text, markdown_code); }

std::string markdown_cell_sentence(std::string_view text) { return sentence(text, markdown_cell_code); }

std::string markdown_block(std::string_view text, std::string_view language) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  std::string out = fence + std::string(language) + "\n" + std::string(text);
  if (out.back() != '\n') out += '\n';
  return out + fence + "\n";
}

}  // namespace assay::reporters
