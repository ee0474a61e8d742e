// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

// The text as lines for people, with a line break at its end; a width of 0 or less leaves it as it is.
[[nodiscard]] std::string paragraph(std::string_view text, int width);

// Left-aligned columns for the command's own lists, two spaces apart. Columns that are empty throughout are
// left out.
class PlainTable {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // Where `width` is above 0 and the lines would be longer, columns of words are broken, the widest first.
  [[nodiscard]] std::string text(const std::string& indent, int width = 0) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace assay::cli
