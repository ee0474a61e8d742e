// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/escape.hpp"
#include "markdown/cells.hpp"
#include "markdown/page.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

// A table whose empty columns vanish.
class Grid {
 public:
  std::size_t column(std::string heading, bool right = false) {
    heads_.push_back(right ? heading + "\t" : std::move(heading));
    return heads_.size() - 1;
  }
  // The block's axes, in front of all other columns, and a row with what it stands at.
  void axes(const Block& block) {
    for (const std::string& axis : block.axes) column(markdown_text(axis));
  }
  void row(const std::vector<std::string>& labels = {}) {
    rows_.emplace_back(heads_.size());
    for (std::size_t i = 0; i < labels.size(); ++i) set(i, label_cell(labels[i]));
  }
  void set(std::size_t column, std::string text) { rows_.back()[column] = std::move(text); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  void write(Page& page) const {
    std::vector<bool> used(heads_.size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) used[i] = used[i] || !row[i].empty();
    }
    const auto keep = [&](const std::vector<std::string>& cells) {
      std::vector<std::string> out;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (used[i]) out.push_back(cells[i]);
      }
      return out;
    };
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : rows_) rows.push_back(keep(row));
    page.table(keep(heads_), rows);
  }

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace assay::reporters
