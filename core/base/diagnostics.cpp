// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace assay {
namespace {

std::string_view line_of(const std::string& source, int line) {
  std::size_t begin = 0;
  for (int current = 1; current < line; ++current) {
    const std::size_t newline = source.find('\n', begin);
    if (newline == std::string::npos) return {};
    begin = newline + 1;
  }
  std::size_t end = source.find('\n', begin);
  if (end == std::string::npos) end = source.size();
  if (end > begin && source[end - 1] == '\r') --end;
  return std::string_view(source).substr(begin, end - begin);
}

// Columns count bytes; the caret stands below characters, so continuation bytes take no room and tabs stay
// tabs.
std::string caret_below(std::string_view line, int column) {
  std::string text;
  for (int i = 0; i + 1 < column && i < static_cast<int>(line.size()); ++i) {
    const auto byte = static_cast<unsigned char>(line[static_cast<std::size_t>(i)]);
    if (byte == '\t') {
      text += '\t';
    } else if ((byte & 0xC0U) != 0x80U) {
      text += ' ';
    }
  }
  return text + '^';
}

// A diagnostic is one line for those who read lines, whatever it quotes from a text of several.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

void Diagnostics::error(std::string code, Position position, std::string text, std::string hint) {
  list_.push_back({Severity::error, std::move(code), one_line(std::move(text)), one_line(std::move(hint)),
                   std::move(position)});
  ++errors_;
}

void Diagnostics::warning(std::string code, Position position, std::string text, std::string hint) {
  list_.push_back({Severity::warning, std::move(code), one_line(std::move(text)), one_line(std::move(hint)),
                   std::move(position)});
}

void Diagnostics::append(const Diagnostics& other) {
  list_.insert(list_.end(), other.list_.begin(), other.list_.end());
  errors_ += other.errors_;
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> result = list_;
  const auto key = [](const Diagnostic& d) {
    return std::make_tuple(!d.position.known(), std::string_view(d.position.file), d.position.line,
                           d.position.column);
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto same = [](const Diagnostic& a, const Diagnostic& b) {
    return a.position == b.position && a.text == b.text && a.severity == b.severity;
  };
  result.erase(std::unique(result.begin(), result.end(), same), result.end());
  return result;
}

std::string to_text(const Diagnostic& diagnostic, const std::string& source) {
  std::string text;
  const Position& at = diagnostic.position;
  if (!at.file.empty()) {
    text += at.file + ":";
    if (at.known())
      text += std::to_string(at.line) + ":" + (at.column > 0 ? std::to_string(at.column) + ":" : "");
    text += " ";
  }
  text += diagnostic.severity == Severity::error ? "error: " : "warning: ";
  text += diagnostic.text;
  if (!diagnostic.hint.empty()) text += " (" + diagnostic.hint + ")";
  text += "\n";
  if (at.known() && !source.empty()) {
    const std::string_view line = line_of(source, at.line);
    if (!line.empty() && line.size() <= 400) {
      text += "  " + std::string(line) + "\n";
      if (at.column > 0) text += "  " + caret_below(line, at.column) + "\n";
    }
  }
  return text;
}

}  // namespace assay
