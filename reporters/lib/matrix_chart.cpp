// SPDX-License-Identifier: Apache-2.0
#include "lib/charts.hpp"
#include "lib/numbers.hpp"
#include "lib/svg_heat.hpp"
#include "lib/text.hpp"

namespace assay::reporters {
namespace {

constexpr std::size_t kLeastHeat = 3, kMostHeat = 64;  // sides

}  // namespace

std::optional<Picture> matrix_chart(const Matrix& matrix) {
  if (matrix.side() < kLeastHeat || matrix.side() > kMostHeat) return std::nullopt;
  const MatrixSummary summary = summary_of(matrix);
  if (summary.count == 0) return std::nullopt;
  const Shading shading(summary, false);
  std::vector<double> values;
  for (const auto& cell : matrix.cells)
    if (cell) values.push_back(cell->value);
  const Scale scale = common_scale(matrix.unit, values).value_or(scale_for(matrix.unit, summary.median));
  HeatMap map;
  map.title = matrix.metric + (scale.unit.empty() ? "" : ", " + scale.unit) +
              (matrix.title.empty() ? "" : ", at " + matrix.title);
  const std::vector<std::string> remarks = remarks_on(matrix, summary, scale);
  map.description = join(remarks, "; ");
  map.note = shading.any() ? "" : "All are within " + fixed(kEven * 100, 0) + " % of each other";
  map.labels = matrix.labels;
  map.steps = shading.ranges(scale);
  map.cells.resize(matrix.cells.size());
  for (std::size_t from = 0; from < matrix.side(); ++from) {
    for (std::size_t to = 0; to < matrix.side(); ++to) {
      const auto& cell = matrix.at(from, to);
      if (!cell) continue;
      HeatCell& shown = map.cells[from * matrix.side() + to].emplace();
      shown.text = quantity(cell->value, Scale{scale.factor, ""}, cell->half_width);
      shown.tip = matrix.labels[from] + " → " + matrix.labels[to] + ": " +
                  quantity(cell->value, scale, cell->half_width);
      if (from != to) shown.step = shading.any() ? shading.step_of(cell->value) : 1;
    }
  }
  return svg_heat(map);
}

}  // namespace assay::reporters
