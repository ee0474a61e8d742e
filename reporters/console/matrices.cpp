// SPDX-License-Identifier: Apache-2.0
#include "console/matrices.hpp"

#include "lib/matrix.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <algorithm>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostTables = 2;  // of a block
constexpr std::size_t kMostSide = 8;    // of a table
constexpr std::size_t kIndent = 4;

class Lines : private ShownMatrix {
 public:
  Lines(const Matrix& shown, const Style& style) : ShownMatrix(shown, style.ascii), style_(style) {}

  void add(std::vector<std::string>& out, bool may_be_a_table) const {
    const bool is_table = may_be_a_table && shading.any() && matrix.side() <= kMostSide && fits();
    if (is_table) {
      put(out, name() + (common && !common->unit.empty() ? ", " + common->unit : "") + ", row to column");
      table(out);
      put(out, shading.legend(scale));
    }
    const std::string remarks = join(remarks_on(matrix, summary, scale), "; ");
    const std::size_t room = style_.width > kIndent + 20 ? style_.width - kIndent : 20;
    for (const std::string& line : wrap(one_line(is_table ? remarks : name() + ": " + remarks), room))
      put(out, line);
  }

 private:
  [[nodiscard]] std::string cell(std::size_t from, std::size_t to) const {
    const auto& one = matrix.at(from, to);
    if (!one) return from == to ? "" : "–";
    return number(*one) + " " + (from == to ? " " : shading.mark(one->value));
  }

  [[nodiscard]] std::vector<std::size_t> widths() const {
    std::vector<std::size_t> out(matrix.side() + 1);
    for (std::size_t i = 0; i < matrix.side(); ++i) {
      out[0] = std::max(out[0], display_width(matrix.labels[i]));
      out[i + 1] = display_width(matrix.labels[i]);
      for (std::size_t from = 0; from < matrix.side(); ++from)
        out[i + 1] = std::max(out[i + 1], display_width(cell(from, i)));
    }
    return out;
  }

  [[nodiscard]] bool fits() const {
    std::size_t width = kIndent;
    for (const std::size_t column : widths()) width += column + 2;
    return width <= style_.width;
  }

  void table(std::vector<std::string>& out) const {
    const std::vector<std::size_t> width = widths();
    std::string head = pad("", width[0]);
    for (std::size_t to = 0; to < matrix.side(); ++to)
      head += "  " + pad(matrix.labels[to], width[to + 1], Align::right);
    put(out, head);
    for (std::size_t from = 0; from < matrix.side(); ++from) {
      std::string line = pad(matrix.labels[from], width[0]);
      for (std::size_t to = 0; to < matrix.side(); ++to)
        line += "  " + pad(cell(from, to), width[to + 1], Align::right);
      put(out, line);
    }
  }

  void put(std::vector<std::string>& out, const std::string& line) const {
    std::string whole = std::string(kIndent, ' ') + (style_.ascii ? to_ascii(line) : line);
    whole.erase(whole.find_last_not_of(' ') + 1);
    out.push_back(std::move(whole));
  }

  const Style& style_;
};

}  // namespace

std::vector<std::string> matrix_lines(const Block& block, const Style& style) {
  const std::vector<Matrix> matrices = matrices_of(block);
  std::vector<std::string> out;
  for (const Matrix& matrix : matrices) Lines(matrix, style).add(out, matrices.size() <= kMostTables);
  return out;
}

}  // namespace assay::reporters
