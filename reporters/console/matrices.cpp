// SPDX-License-Identifier: Apache-2.0
#include "console/matrices.hpp"

#include "lib/matrix.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <optional>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostTables = 2;  // of a block
constexpr std::size_t kMostSide = 8;    // of a table
constexpr std::size_t kIndent = 4;

class Lines {
 public:
  Lines(const Matrix& matrix, const Style& style)
      : matrix_(matrix), style_(style), summary_(summary_of(matrix)), shading_(summary_, style.ascii) {
    std::vector<double> values;
    for (const auto& cell : matrix.cells) {
      if (cell) values.push_back(cell->value);
    }
    common_ = common_scale(matrix.unit, values);
  }

  void add(std::vector<std::string>& out, bool may_be_a_table) const {
    const Scale scale = common_.value_or(scale_for(matrix_.unit, summary_.median));
    const std::string name = matrix_.metric + (matrix_.title.empty() ? "" : " at " + matrix_.title);
    const bool is_table = may_be_a_table && shading_.any() && matrix_.side() <= kMostSide && fits();
    if (is_table) {
      put(out, name + (common_ && !common_->unit.empty() ? ", " + common_->unit : "") + ", row to column");
      table(out);
      put(out, shading_.legend(scale));
    }
    const std::string remarks = join(remarks_on(matrix_, summary_, scale), "; ");
    const std::size_t room = style_.width > kIndent + 20 ? style_.width - kIndent : 20;
    for (const std::string& line : wrap(one_line(is_table ? remarks : name + ": " + remarks), room))
      put(out, line);
  }

 private:
  [[nodiscard]] std::string cell(std::size_t from, std::size_t to) const {
    const auto& one = matrix_.at(from, to);
    if (!one) return from == to ? "" : "–";
    const std::string number = common_ ? quantity(one->value, Scale{common_->factor, ""}, one->half_width)
                                       : quantity(one->value, matrix_.unit, one->half_width);
    return number + " " + (from == to ? " " : shading_.mark(one->value));
  }

  [[nodiscard]] std::vector<std::size_t> widths() const {
    std::vector<std::size_t> out(matrix_.side() + 1);
    for (std::size_t i = 0; i < matrix_.side(); ++i) {
      out[0] = std::max(out[0], display_width(matrix_.labels[i]));
      out[i + 1] = display_width(matrix_.labels[i]);
      for (std::size_t from = 0; from < matrix_.side(); ++from)
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
    for (std::size_t to = 0; to < matrix_.side(); ++to)
      head += "  " + pad(matrix_.labels[to], width[to + 1], Align::right);
    put(out, head);
    for (std::size_t from = 0; from < matrix_.side(); ++from) {
      std::string line = pad(matrix_.labels[from], width[0]);
      for (std::size_t to = 0; to < matrix_.side(); ++to)
        line += "  " + pad(cell(from, to), width[to + 1], Align::right);
      put(out, line);
    }
  }

  void put(std::vector<std::string>& out, const std::string& line) const {
    std::string whole = std::string(kIndent, ' ') + (style_.ascii ? to_ascii(line) : line);
    whole.erase(whole.find_last_not_of(' ') + 1);
    out.push_back(std::move(whole));
  }

  const Matrix& matrix_;
  const Style& style_;
  MatrixSummary summary_;
  Shading shading_;
  std::optional<Scale> common_;
};

}  // namespace

std::vector<std::string> matrix_lines(const Block& block, const Style& style) {
  const std::vector<Matrix> matrices = matrices_of(block);
  std::vector<std::string> out;
  for (const Matrix& matrix : matrices) Lines(matrix, style).add(out, matrices.size() <= kMostTables);
  return out;
}

}  // namespace assay::reporters
