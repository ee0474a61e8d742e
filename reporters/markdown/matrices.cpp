// SPDX-License-Identifier: Apache-2.0
#include "markdown/matrices.hpp"

#include "lib/escape.hpp"
#include "lib/indexed_lines.hpp"
#include "lib/matrix.hpp"
#include "lib/numbers.hpp"
#include "lib/row_texts.hpp"
#include "lib/text.hpp"
#include "markdown/grid.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostSide = 32;      // of a table
constexpr std::size_t kMostOpen = 2;       // tables of one block that are not folded away
constexpr std::size_t kMostOpenLines = 6;  // of values by index

class MatrixWriter : private ShownMatrix {
 public:
  MatrixWriter(const Matrix& shown, Page& page) : ShownMatrix(shown, false), page_(page) {}

  void write(const std::vector<Backend>& backends, bool fold) {
    page_.block("**" + markdown_text(name()) + "**" +
                (common && !common->unit.empty() ? ", " + markdown_text(common->unit) : "") +
                ", from the row to the column");
    if (matrix.side() > kMostSide) {
      page_.block(count_of(matrix.side(), "row") + ": the table is in result.json.");
    } else {
      if (fold) page_.begin_fold(count_of(matrix.side(), "row"));
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
    for (const std::string& label : matrix.labels) head.push_back(markdown_text(label) + "\t");
    for (std::size_t from = 0; from < matrix.side(); ++from) {
      rows.push_back({"**" + markdown_text(matrix.labels[from]) + "**"});
      for (std::size_t to = 0; to < matrix.side(); ++to) rows.back().push_back(cell(from, to));
    }
    page_.table(head, rows);
  }

  [[nodiscard]] std::string cell(std::size_t from, std::size_t to) const {
    const auto& one = matrix.at(from, to);
    if (!one) return from == to ? "" : "–";
    const std::string mark = from == to ? std::string() : shading.mark(one->value);
    return markdown_text(number(*one)) + (mark.empty() ? "" : " " + mark);
  }

  [[nodiscard]] std::vector<std::string> remarks(const std::vector<Backend>& backends) const {
    std::vector<std::string> lines;
    for (const std::string& remark : remarks_on(matrix, summary, scale))
      lines.push_back(capitalised(remark) + ".");
    if (summary.half_width) lines.front() += " Intervals are in result.json.";
    if (matrix.side() <= kMostSide && summary.count > 1) {
      lines.push_back(shading.any() ? "Shaded: " + shading.legend(scale) + "."
                                    : "Not shaded: all are within " + fixed(kEven * 100, 0) + " %.");
    }
    const std::vector<std::string> links = links_of(matrix, backends);
    if (!links.empty()) lines.push_back("Links: " + join(links, "; ") + ".");
    return lines;
  }

  Page& page_;
};

// What no table has, because it has several indices or too many: a line each.
void write_lines(const Block& block, Page& page, bool has_table) {
  std::string list;
  for (const std::string& line : has_table ? indexed_lines_beside_table(block) : indexed_lines(block))
    list += "- " + markdown_text(line) + "\n";
  page.block(list);
}

// Metrics with one index, of a stage or a direction: a line each, a column an index.
void write_series(const Block& block, Page& page) {
  std::set<std::uint64_t> indices;
  for (const Row& row : block.rows)
    for (const Case* one : row.members)
      for (const Series& series : series_of(*one))
        for (const auto& [index, text] : series.values) indices.insert(index);
  const bool is_table = !indices.empty() && indices.size() <= kMostSide;
  write_lines(block, page, is_table);
  if (!is_table) return;
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
