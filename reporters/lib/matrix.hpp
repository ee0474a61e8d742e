// SPDX-License-Identifier: Apache-2.0
//
// A quantity between every two of several devices, nodes or CPUs, and what stands out in it. It comes from a
// metric with two indices, or from cases that differ in their pair of devices only.
#pragma once

#include "lib/numbers.hpp"
#include "lib/pivot.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

struct MatrixCell {
  double value = 0;
  std::optional<double> half_width;  // of its interval, where it has one
};

struct Matrix {
  std::string title;  // of several in one block: where it was measured, "direction=both"
  std::string metric;
  Unit unit;
  std::vector<std::string> labels;  // of rows and columns alike: from, and to
  std::vector<std::optional<MatrixCell>> cells;
  const Case* source = nullptr;  // where facts about it are: its case, or the first of its cases

  [[nodiscard]] std::size_t side() const { return labels.size(); }
  [[nodiscard]] const std::optional<MatrixCell>& at(std::size_t from, std::size_t to) const {
    return cells[from * side() + to];
  }
};

// The matrices of the block's rows, in their order: of each row its headline over pairs of devices, then its metrics with two indices.
[[nodiscard]] std::vector<Matrix> matrices_of(const Block& block);

// Every row is of pairs, so that the matrix says what its members are.
[[nodiscard]] bool is_over_pairs(const Block& block);

// A row's or column's median against those of the others.
struct Outlier {
  bool row = true;  // from the device, else to it
  std::size_t index = 0;
  double median = 0, score = 0;  // score: how many robust standard deviations away
};

struct Uneven {  // two devices, one way and back
  std::size_t from = 0, to = 0;
  double share = 0;  // difference over the mean of both; the first way is the greater one
};

constexpr double kEven = 0.05;    // differences up to this are none: of both ways, and for shading
constexpr double kOutlier = 3.5;  // robust standard deviations

// Over cells of different devices; over all, if there are no others.
struct MatrixSummary {
  std::size_t count = 0;  // cells
  double low = 0, median = 0, high = 0;
  std::optional<double> half_width;  // the median, if all rows have one
  bool symmetric = false;            // one way and back are the same numbers throughout
  std::size_t pairs = 0;             // with a value each way, unless it is symmetric
  std::size_t uneven = 0;            // of them
  std::optional<Uneven> most;        // of them
  bool scored = false;               // there were enough rows to tell outliers
  std::vector<Outlier> outliers;
};
[[nodiscard]] MatrixSummary summary_of(const Matrix& matrix);

// Five equal steps from the lowest to the highest, each with a mark that grows denser; none where all cells
// are alike. Of different devices only, as the summary.
class Shading {
 public:
  static constexpr std::size_t kSteps = 5;

  Shading(const MatrixSummary& summary, bool ascii);

  [[nodiscard]] bool any() const { return step_ > 0; }
  // Below kSteps; only where there are any.
  [[nodiscard]] std::size_t step_of(double value) const;
  [[nodiscard]] std::string mark(double value) const;
  // "340–351", a text a step; and "· 340–351, ░ 351–362, …", both in the scale.
  [[nodiscard]] std::vector<std::string> ranges(const Scale& scale) const;
  [[nodiscard]] std::string legend(const Scale& scale) const;

 private:
  std::array<const char*, kSteps> marks_;
  double low_, step_ = 0;
};

// A matrix as reports show it; it outlives this.
struct ShownMatrix {
  ShownMatrix(const Matrix& shown, bool ascii);

  const Matrix& matrix;
  MatrixSummary summary;
  Shading shading;
  std::optional<Scale> common;  // of all cells; else each has its own unit
  Scale scale;                  // that, or the median's

  // "bandwidth at direction=both".
  [[nodiscard]] std::string name() const;
  // Without the unit that all have in common.
  [[nodiscard]] std::string number(const MatrixCell& cell) const;
};

// What is said below it, each a sentence without its point: lowest, median and highest; both ways; outliers.
[[nodiscard]] std::vector<std::string> remarks_on(const Matrix& matrix, const MatrixSummary& summary,
                                                  const Scale& scale);

// What is known of the links that it is about, "cuda:0: 18 to switch": from the case's fact `links` and the
// devices' facts that end in `_peers`. One text if all are alike.
[[nodiscard]] std::vector<std::string> links_of(const Matrix& matrix, const std::vector<Backend>& backends);

// A metric with one index: its values in the order of the document, as text with unit.
struct Series {
  std::string metric;
  std::vector<std::pair<std::uint64_t, std::string>> values;
};
[[nodiscard]] std::vector<Series> series_of(const Case& one);

}  // namespace assay::reporters
