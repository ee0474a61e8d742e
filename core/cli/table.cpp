// SPDX-License-Identifier: Apache-2.0
#include "cli/table.hpp"

#include "text/text.hpp"

#include <algorithm>

namespace assay::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 20;  // below this a column of words is harder to read than a long line

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::size_t> widths_of(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

bool is_of_words(const Rows& rows, std::size_t column) {
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
    return column < row.size() && row[column].find(' ') != std::string::npos;
  });
}

// Takes from the columns of words, always from the widest, until the line has room.
void narrow(const Rows& rows, std::vector<std::size_t>& widths, std::size_t room) {
  std::size_t whole = 0;
  std::vector<std::size_t> of_words;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0) whole += widths[i] + (whole > 0 ? kGap : 0);
    if (is_of_words(rows, i)) of_words.push_back(i);
  }
  for (; whole > room && !of_words.empty(); --whole) {
    const std::size_t widest =
        *std::max_element(of_words.begin(), of_words.end(),
                          [&](std::size_t a, std::size_t b) { return widths[a] < widths[b]; });
    if (widths[widest] <= kNarrowest) return;
    --widths[widest];
  }
}

}  // namespace

std::string paragraph(std::string_view text, int width) {
  return (width > 0 ? join(wrap(text, static_cast<std::size_t>(width)), "\n") : std::string(text)) + "\n";
}

std::string PlainTable::text(const std::string& indent, int width) const {
  std::vector<std::size_t> widths = widths_of(rows_);
  if (width > 0)
    narrow(rows_, widths, static_cast<std::size_t>(width) - std::min<std::size_t>(indent.size(), width));
  std::string text;
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool fits = display_width(row[i]) <= widths[i];
      cells.push_back(fits ? std::vector{row[i]} : wrap(row[i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      std::string line = indent;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (widths[i] == 0) continue;
        const std::string part = k < cells[i].size() ? cells[i][k] : "";
        line += part + std::string(kGap + widths[i] - std::min(widths[i], display_width(part)), ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace assay::cli
