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
  const ShownMatrix shown_matrix(matrix, false);
  if (shown_matrix.summary.count == 0) return std::nullopt;
  const Shading& shading = shown_matrix.shading;
  const Scale& scale = shown_matrix.scale;
  HeatMap map;
  map.title = matrix.metric + (scale.unit.empty() ? "" : ", " + scale.unit) +
              (matrix.title.empty() ? "" : ", at " + matrix.title);
  const std::vector<std::string> remarks = remarks_on(matrix, shown_matrix.summary, scale);
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
