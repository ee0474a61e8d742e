// SPDX-License-Identifier: Apache-2.0
#include "lib/svg_heat.hpp"

#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::reporters {
namespace {

constexpr double kMostHeatCell = 64, kHeatTop = 36, kHeatRow = 30;

}  // namespace

std::optional<Picture> svg_heat(const HeatMap& map) {
  const std::size_t side = map.labels.size();
  if (side < 2 || map.cells.size() != side * side) return std::nullopt;
  double left = 60;
  for (const std::string& label : map.labels) left = std::max(left, std::min(150.0, text_width(label) + 12));
  double widest = 0;
  for (const auto& cell : map.cells)
    if (cell) widest = std::max(widest, text_width(cell->text));
  const double wide = std::min(kMostHeatCell, (kPictureWidth - left) / static_cast<double>(side));
  const double high = std::min(kHeatRow, std::max(8.0, wide));
  const bool has_texts = wide >= widest + 4 && high >= 16;
  std::string out = svg_label(left - 8, 12, "end", "from ↓") + svg_label(left + 2, 12, "start", "to →");
  const auto every = static_cast<std::size_t>(high < 14 ? 14 / high + 1 : 1);  // rows whose name has room
  double free = -1e9;
  for (std::size_t i = 0; i < side; ++i) {
    const double at = left + wide * (static_cast<double>(i) + 0.5);
    const std::string name = fitted(map.labels[i], std::max(wide, 24.0));
    if (at - text_width(name) / 2 > free) {
      free = at + text_width(name) / 2 + 2;
      out += svg_label(at, kHeatTop - 8, "middle", name);
    }
    if (i % every == 0)
      out += svg_label(left - 8, kHeatTop + high * (static_cast<double>(i) + 0.5) + 4, "end",
                       fitted(map.labels[i], left - 10));
  }
  for (std::size_t from = 0; from < side; ++from) {
    for (std::size_t to = 0; to < side; ++to) {
      const auto& cell = map.cells[from * side + to];
      if (!cell) continue;
      const double x = left + wide * static_cast<double>(to), y = kHeatTop + high * static_cast<double>(from);
      const bool deep = cell->step && *cell->step > 2;
      if (cell->step) {
        out += fmt::format(
            "<rect class=\"h{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}</rect>",
            std::min(*cell->step, kHeatSteps - 1), x + 0.5, y + 0.5, wide - 1, high - 1, svg_tip(cell->tip));
      }
      if (!has_texts) continue;
      out += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}{}</text>",
                         deep ? "on-deep" : "on", x + wide / 2, y + high / 2 + 4, svg_text(cell->text),
                         svg_tip(cell->tip));
    }
  }
  Picture picture{
      map.title,     map.description, {}, map.note, kHeatTop + high * static_cast<double>(side) + 4,
      std::move(out)};
  for (std::size_t i = 0; i < map.steps.size(); ++i)
    picture.key.push_back({"h" + std::to_string(i), map.steps[i]});
  return picture;
}

}  // namespace assay::reporters
