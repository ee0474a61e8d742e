// SPDX-License-Identifier: Apache-2.0
#include "lib/charts.hpp"
#include "lib/numbers.hpp"
#include "lib/svg_rows.hpp"
#include "lib/text.hpp"

#include <cmath>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostChanges = 24;  // rows of a picture

}  // namespace

std::optional<Picture> comparison_chart(const Comparison& comparison) {
  RowPlot plot;
  plot.title = "What changed: new over old";
  plot.name = "new / old";
  plot.bars = false;
  plot.lines.push_back(1);
  std::size_t with_ratio = 0;
  for (const ComparedRow* row : by_importance(comparison)) {
    if (!row->ratio) continue;
    if (++with_ratio > kMostChanges) continue;
    const ComparedTexts texts = texts_of(*row);
    RowMark mark{
        row->id,
        texts.ratio,
        *row->ratio,
        std::nullopt,
        {},
        row->id + ", " + row->metric + ": " + texts.ratio + " " + texts.interval + ", " + texts.verdict};
    if (std::isfinite(row->low) && std::isfinite(row->high)) mark.bounds = {row->low, row->high};
    mark.colour = row->verdict == "slower" ? 1 : row->verdict == "faster" ? 2 : 0;
    plot.rows.push_back(std::move(mark));
  }
  if (plot.rows.empty()) return std::nullopt;
  plot.description = count_of(with_ratio, "row") + "; the table has every value";
  plot.note = "Whiskers: 95 % intervals; the line is no change";
  if (with_ratio > kMostChanges)
    plot.note += "; the " + std::to_string(kMostChanges) + " most important of " +
                 std::to_string(with_ratio) + " rows";
  std::optional<Picture> picture = svg_rows(plot);
  if (picture) picture->key = {{"s1", "slower"}, {"s2", "faster"}, {"s0", "neither is shown"}};
  return picture;
}

}  // namespace assay::reporters
