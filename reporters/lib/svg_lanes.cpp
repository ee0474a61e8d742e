// SPDX-License-Identifier: Apache-2.0
#include "lib/svg_lanes.hpp"

#include "lib/svg_axis.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::reporters {
namespace {

constexpr double kLaneHeight = 24, kLaneTop = 6, kLaneBottom = 40, kMostLaneLabel = 170;

}  // namespace

std::optional<Picture> svg_lanes(const LanePlot& plot) {
  double left = 24;
  Extent reach;
  for (const LaneLine& lane : plot.lanes) {
    left = std::max(left, std::min(kMostLaneLabel, text_width(one_line(lane.label)) + 10));
    for (const LaneSpan& span : lane.spans) {
      reach.add(span.begin);
      reach.add(span.end);
    }
  }
  if (!reach.has_span()) return std::nullopt;
  const auto right = [&](double value) {
    return left + (value - reach.low) / (reach.high - reach.low) * (kPictureWidth - left - 24);
  };
  const double bottom = kLaneTop + kLaneHeight * static_cast<double>(plot.lanes.size());
  std::string out;
  for (const double tick : ticks_between(reach.low, reach.high)) {
    out +=
        fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", right(tick), kLaneTop, bottom + 4);
    out += svg_label(right(tick), bottom + 17, "middle", tick_text(tick));
  }
  double top = kLaneTop;
  for (const LaneLine& lane : plot.lanes) {
    out += svg_label(left - 8, top + kLaneHeight / 2 + 4, "end", fitted(one_line(lane.label), left - 10));
    for (const LaneSpan& span : lane.spans) {
      if (!(span.end >= span.begin)) continue;
      const double wide = std::max(0.6, right(span.end) - right(span.begin) - 0.6);
      out += fmt::format(
          "<rect class=\"s{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}</rect>",
          span.colour % kSeriesColours, right(span.begin), top + 3, wide, kLaneHeight - 6, svg_tip(span.tip));
      if (span.text.empty() || text_width(one_line(span.text)) + 6 > wide) continue;
      out += fmt::format(
          "<text class=\"on-deep\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}{}</text>",
          right(span.begin) + wide / 2, top + kLaneHeight / 2 + 4, svg_text(span.text), svg_tip(span.tip));
    }
    top += kLaneHeight;
  }
  out += svg_label((left + kPictureWidth) / 2, bottom + 34, "middle",
                   fitted(one_line(plot.name), kPictureWidth - left));
  return Picture{plot.title, plot.description, plot.key, plot.note, bottom + kLaneBottom, std::move(out)};
}

}  // namespace assay::reporters
