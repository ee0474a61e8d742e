// SPDX-License-Identifier: Apache-2.0
#include "lib/charts.hpp"
#include "lib/numbers.hpp"
#include "lib/svg_rows.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostRatios = 40;  // rows of a picture
constexpr std::array<std::pair<std::size_t, const char*>, 3> kColoursOfVerdicts{
    {{0, "confirmed"}, {1, "refuted"}, {4, "open"}}};

// Where a ratio begins to be what the claim asks for, or ends to be.
std::vector<double> borders_of(const Asks& asks) {
  const double above = asks.factor * (1 + asks.tolerance), below = asks.factor / (1 + asks.tolerance);
  if (asks.op.starts_with('>')) return {above};
  if (asks.op.starts_with('<')) return {below};
  return {below, above};
}

// As the table has it; with a digit more where two would say that there is no difference.
std::string ratio_text(double effect) { return fixed(effect + 1, std::abs(effect) < 0.02 ? 3 : 2) + "×"; }

}  // namespace

std::optional<Picture> finding_chart(const Finding& finding) {
  RowPlot plot;
  plot.title = finding.question.empty() ? finding.id : finding.question;
  plot.name = "ratio";
  plot.bars = false;
  plot.lines.push_back(1);
  bool bounded = false;
  for (const FindingRow& row : finding.rows) {
    if (!row.effect || plot.rows.size() == kMostRatios) continue;
    RowMark mark{row.label,
                 ratio_text(*row.effect),
                 *row.effect + 1,
                 std::nullopt,
                 {},
                 row.label + ": " + ratio_text(*row.effect) + ", " + row.verdict};
    if (const auto bounds = known(row.bounds)) {
      mark.bounds = {bounds->low + 1, bounds->high + 1};
      bounded = true;
    }
    if (finding.asks) mark.asked = borders_of(*finding.asks);
    mark.colour = row.verdict == "refuted" ? 1 : row.verdict == "confirmed" ? 0 : 4;
    plot.rows.push_back(std::move(mark));
  }
  if (plot.rows.size() < 2) return std::nullopt;
  const auto [least, most] =
      std::minmax_element(plot.rows.begin(), plot.rows.end(),
                          [](const RowMark& a, const RowMark& b) { return a.value < b.value; });
  plot.description = count_of(plot.rows.size(), "row") + " with the ratio of its sides, from " + least->text +
                     " to " + most->text;
  std::vector<std::string> marks;
  if (bounded) marks.emplace_back("whiskers: 95 % intervals");
  if (finding.asks) marks.emplace_back("dashed: what the claim asks for");
  plot.note = capitalised(join(marks, "; "));
  std::optional<Picture> picture = svg_rows(plot);
  if (!picture) return picture;
  for (const auto& [colour, words] : kColoursOfVerdicts)
    if (std::any_of(plot.rows.begin(), plot.rows.end(),
                    [&, wanted = colour](const RowMark& mark) { return mark.colour == wanted; }))
      picture->key.push_back({"s" + std::to_string(colour), words});
  return picture;
}

}  // namespace assay::reporters
