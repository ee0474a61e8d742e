// SPDX-License-Identifier: Apache-2.0
#include "markdown/matrices.hpp"

#include "lib/escape.hpp"
#include "lib/matrix.hpp"
#include "lib/numbers.hpp"
#include "lib/row_texts.hpp"
#include "lib/text.hpp"
#include "markdown/grid.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostSide = 32;      // of a table
constexpr std::size_t kMostOpen = 2;       // tables of one block that are not folded away
constexpr std::size_t kMostOpenLines = 6;  // of values by index

class MatrixWriter {
 public:
  MatrixWriter(const Matrix& matrix, Page& page)
      : matrix_(matrix), page_(page), summary_(summary_of(matrix)), shading_(summary_, false) {
    std::vector<double> values;
    for (const auto& cell : matrix.cells) {
      if (cell) values.push_back(cell->value);
    }
    common_ = common_scale(matrix.unit, values);
    scale_ = common_.value_or(scale_for(matrix.unit, summary_.median));
  }

  void write(const std::vector<Backend>& backends, bool fold) {
    page_.block("**" + markdown_text(matrix_.metric + (matrix_.title.empty() ? "" : " at " + matrix_.title)) +
                "**" + (common_ && !common_->unit.empty() ? ", " + markdown_text(common_->unit) : "") +
                ", from the row to the column");
    if (matrix_.side() > kMostSide) {
      page_.block(count_of(matrix_.side(), "row") + ": the table is in result.json.");
    } else {
      if (fold) page_.begin_fold(count_of(matrix_.side(), "row"));
      table();
      if (fold) page_.end_fold();
    }
    std::string list;
    for (const std::string& line : remarks(backends)) list += "- " + markdown_text(line) + "\n";
    page_.block(list);
  }

 private:
  void table() {
    std::vector<std::string> head{"from, to"};
    std::vector<std::vector<std::string>> rows;
    for (const std::string& label : matrix_.labels) head.push_back(markdown_text(label) + "\t");
    for (std::size_t from = 0; from < matrix_.side(); ++from) {
      rows.push_back({"**" + markdown_text(matrix_.labels[from]) + "**"});
      for (std::size_t to = 0; to < matrix_.side(); ++to) rows.back().push_back(cell(from, to));
    }
    page_.table(head, rows);
  }

  [[nodiscard]] std::string cell(std::size_t from, std::size_t to) const {
    const auto& one = matrix_.at(from, to);
    if (!one) return from == to ? "" : "–";
    const std::string number =
        markdown_text(common_ ? quantity(one->value, Scale{common_->factor, ""}, one->half_width)
                              : quantity(one->value, matrix_.unit, one->half_width));
    const std::string mark = from == to ? std::string() : shading_.mark(one->value);
    return number + (mark.empty() ? "" : " " + mark);
  }

  [[nodiscard]] std::vector<std::string> remarks(const std::vector<Backend>& backends) const {
    std::vector<std::string> lines;
    for (const std::string& remark : remarks_on(matrix_, summary_, scale_))
      lines.push_back(capitalised(remark) + ".");
    if (summary_.half_width) lines.front() += " Intervals are in result.json.";
    if (matrix_.side() <= kMostSide && summary_.count > 1) {
      lines.push_back(shading_.any() ? "Shaded: " + shading_.legend(scale_) + "."
                                     : "Not shaded: all are within " + fixed(kEven * 100, 0) + " %.");
    }
    const std::vector<std::string> links = links_of(matrix_, backends);
    if (!links.empty()) lines.push_back("Links: " + join(links, "; ") + ".");
    return lines;
  }

  const Matrix& matrix_;
  Page& page_;
  MatrixSummary summary_;
  Shading shading_;
  std::optional<Scale> common_;  // of all cells; else each has its own unit
  Scale scale_;
};

// Metrics with one index, of a stage or a direction: a line each, a column an index.
void write_series(const Block& block, Page& page) {
  std::set<std::uint64_t> indices;
  for (const Row& row : block.rows)
    for (const Case* one : row.members)
      for (const Series& series : series_of(*one))
        for (const auto& [index, text] : series.values) indices.insert(index);
  if (indices.empty()) return;
  if (indices.size() > kMostSide) return page.block("Values by index: the table is in result.json.");
  Grid grid;
  grid.axes(block);
  const std::size_t device = grid.column("device"), metric = grid.column("metric");
  std::map<std::uint64_t, std::size_t> columns;
  for (const std::uint64_t index : indices) columns[index] = grid.column(std::to_string(index), true);
  std::size_t lines = 0;
  for (const Row& row : block.rows) {
    for (const Case* one : row.members) {
      for (const Series& series : series_of(*one)) {
        grid.row(row.labels);
        ++lines;
        if (row.members.size() > 1) grid.set(device, markdown_text(member_label(*one)));
        grid.set(metric, markdown_text(series.metric));
        for (const auto& [index, text] : series.values) grid.set(columns.at(index), markdown_text(text));
      }
    }
  }
  const bool fold = lines > kMostOpenLines;
  if (fold) page.begin_fold("Values by index");
  if (!fold) page.block("Values by index:");
  grid.write(page);
  if (fold) page.end_fold();
}

}  // namespace

void write_matrices(const Block& block, const std::vector<Backend>& backends, Page& page) {
  const std::vector<Matrix> matrices = matrices_of(block);
  for (const Matrix& matrix : matrices)
    MatrixWriter(matrix, page).write(backends, matrices.size() > kMostOpen);
  write_series(block, page);
}

}  // namespace assay::reporters
