// SPDX-License-Identifier: Apache-2.0
#include "lib/matrix.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <cmath>

namespace assay::reporters {
namespace {

constexpr std::size_t kFewestToScore = 4;  // rows; of three nobody can say which is the odd one
constexpr double kNormal = 0.6745;         // MAD over the standard deviation of a normal distribution
constexpr double kLeastDeviation = 0.01;   // of the median: what one run and the next differ by

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string share_text(double share) { return fixed(share * 100, 0) + " %"; }

std::vector<MatrixCell> different_devices(const Matrix& matrix) {
  std::vector<MatrixCell> own, other;
  for (std::size_t from = 0; from < matrix.side(); ++from) {
    for (std::size_t to = 0; to < matrix.side(); ++to) {
      if (const auto& cell = matrix.at(from, to)) (from == to ? own : other).push_back(*cell);
    }
  }
  return other.empty() ? own : other;
}

// What was one measurement of both ways, as a sum of them is.
bool is_symmetric(const Matrix& matrix) {
  for (std::size_t a = 0; a < matrix.side(); ++a) {
    for (std::size_t b = a + 1; b < matrix.side(); ++b) {
      const auto& there = matrix.at(a, b);
      const auto& back = matrix.at(b, a);
      if (there.has_value() != back.has_value() || (there && there->value != back->value)) return false;
    }
  }
  return true;
}

void find_uneven(const Matrix& matrix, MatrixSummary& out) {
  for (std::size_t a = 0; a < matrix.side(); ++a) {
    for (std::size_t b = a + 1; b < matrix.side(); ++b) {
      const auto& there = matrix.at(a, b);
      const auto& back = matrix.at(b, a);
      if (!there || !back || there->value <= 0 || back->value <= 0) continue;
      ++out.pairs;
      const double share = std::abs(there->value - back->value) / ((there->value + back->value) / 2);
      if (share <= kEven) continue;
      ++out.uneven;
      if (out.most && out.most->share >= share) continue;
      out.most = there->value > back->value ? Uneven{a, b, share} : Uneven{b, a, share};
    }
  }
}

// Iglewicz and Hoaglin's modified z-score of each row's median, then of each column's. Where nearly all are
// equal to the digit, the rest is not odd for a thousandth: deviations count in no smaller unit than 1 %.
void find_outliers(const Matrix& matrix, MatrixSummary& out) {
  if (matrix.side() < kFewestToScore || out.low <= 0) return;
  for (const bool rows : {true, false}) {
    if (!rows && out.symmetric) continue;  // columns are the rows
    std::vector<std::pair<std::size_t, double>> medians;
    std::vector<double> values;
    for (std::size_t i = 0; i < matrix.side(); ++i) {
      std::vector<double> line;
      for (std::size_t j = 0; j < matrix.side(); ++j) {
        const auto& cell = rows ? matrix.at(i, j) : matrix.at(j, i);
        if (i != j && cell) line.push_back(cell->value);
      }
      if (line.empty()) continue;
      medians.emplace_back(i, median_of(line));
      values.push_back(medians.back().second);
    }
    if (medians.size() < kFewestToScore) continue;
    out.scored = true;
    const double middle = median_of(values);
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::abs(value - middle));
    const double unit = std::max(median_of(deviations), kLeastDeviation * middle);
    for (const auto& [index, value] : medians) {
      const double score = kNormal * (value - middle) / unit;
      if (std::abs(score) > kOutlier) out.outliers.push_back({rows, index, value, score});
    }
  }
}

}  // namespace

MatrixSummary summary_of(const Matrix& matrix) {
  MatrixSummary out;
  std::vector<double> values, half_widths;
  for (const MatrixCell& cell : different_devices(matrix)) {
    values.push_back(cell.value);
    if (cell.half_width) half_widths.push_back(*cell.half_width);
  }
  out.count = values.size();
  if (values.empty()) return out;
  if (half_widths.size() == values.size()) out.half_width = median_of(half_widths);
  out.low = *std::min_element(values.begin(), values.end());
  out.high = *std::max_element(values.begin(), values.end());
  out.median = median_of(values);
  out.symmetric = is_symmetric(matrix);
  if (!out.symmetric) find_uneven(matrix, out);
  find_outliers(matrix, out);
  return out;
}

ShownMatrix::ShownMatrix(const Matrix& shown, bool ascii)
    : matrix(shown), summary(summary_of(shown)), shading(summary, ascii) {
  std::vector<double> values;
  for (const auto& cell : matrix.cells)
    if (cell) values.push_back(cell->value);
  common = common_scale(matrix.unit, values);
  scale = common.value_or(scale_for(matrix.unit, summary.median));
}

std::string ShownMatrix::name() const {
  return matrix.metric + (matrix.title.empty() ? "" : " at " + matrix.title);
}

std::string ShownMatrix::number(const MatrixCell& cell) const {
  return common ? quantity(cell.value, Scale{common->factor, ""}, cell.half_width)
                : quantity(cell.value, matrix.unit, cell.half_width);
}

Shading::Shading(const MatrixSummary& summary, bool ascii)
    : marks_(ascii ? std::array<const char*, kSteps>{".", "-", "+", "*", "#"}
                   : std::array<const char*, kSteps>{"·", "░", "▒", "▓", "█"}),
      low_(summary.low) {
  const double range = summary.high - summary.low;
  if (range > kEven * std::abs(summary.median)) step_ = range / static_cast<double>(kSteps);
}

std::size_t Shading::step_of(double value) const {
  const double step = std::floor((value - low_) / step_);
  return static_cast<std::size_t>(std::clamp(step, 0.0, static_cast<double>(kSteps - 1)));
}

std::string Shading::mark(double value) const { return any() ? marks_[step_of(value)] : std::string(); }

std::vector<std::string> Shading::ranges(const Scale& scale) const {
  std::vector<std::string> out;
  for (std::size_t i = 0; any() && i < kSteps; ++i) {
    const double from = low_ + step_ * static_cast<double>(i);
    out.push_back(range(from, from + step_, scale));
  }
  return out;
}

std::string Shading::legend(const Scale& scale) const {
  std::vector<std::string> parts = ranges(scale);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = std::string(marks_[i]) + " " + parts[i];
  return join(parts, ", ") + (parts.empty() || scale.unit.empty() ? "" : " " + scale.unit);
}

std::vector<std::string> remarks_on(const Matrix& matrix, const MatrixSummary& summary, const Scale& scale) {
  const auto number = [&](double value) {
    return quantity(value, Scale{scale.factor, ""}, summary.half_width);
  };
  const auto with_unit = [&](double value) { return quantity(value, scale, summary.half_width); };
  std::vector<std::string> out{number(summary.low) == number(summary.high)
                                   ? (summary.count > 1 ? "all " : "") + with_unit(summary.high)
                                   : "lowest " + number(summary.low) + ", median " + number(summary.median) +
                                         ", highest " + with_unit(summary.high)};
  if (summary.most) {
    const auto way = [&](std::size_t from, std::size_t to) {
      return with_unit(matrix.at(from, to)->value) + " from " + matrix.labels[from] + " to " +
             matrix.labels[to];
    };
    const Uneven& most = *summary.most;
    std::string text = "one way and back differ by more than " + share_text(kEven);
    if (summary.pairs > 1) {
      text += " in " + std::to_string(summary.uneven) + " of " + std::to_string(summary.pairs) + " pairs";
      if (summary.uneven > 1) text += ", most";
    }
    out.push_back(text + ": " + way(most.from, most.to) + " against " + way(most.to, most.from) + ", " +
                  percent(most.share) + " apart");
  } else if (summary.pairs > 0) {
    out.push_back("one way and back agree within " + share_text(kEven) +
                  (summary.pairs == 1 ? "" : " in all " + std::to_string(summary.pairs) + " pairs"));
  }
  std::vector<std::string> odd;
  for (const Outlier& outlier : summary.outliers) {
    const char* which = summary.symmetric ? "from and to " : outlier.row ? "from " : "to ";
    odd.push_back("what goes " + std::string(which) + matrix.labels[outlier.index] + " (median " +
                  with_unit(outlier.median) + ", robust z " + (outlier.score > 0 ? "+" : "") +
                  fixed(outlier.score, 1) + ")");
  }
  if (!odd.empty()) {
    out.push_back("stands out: " + join(odd, "; "));
  } else if (summary.scored) {
    out.push_back("no row or column stands out");
  }
  return out;
}

}  // namespace assay::reporters
