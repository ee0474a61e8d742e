// SPDX-License-Identifier: Apache-2.0
#include "lib/svg_rows.hpp"

#include "lib/svg_axis.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::reporters {
namespace {

constexpr double kRowTop = 22, kRowHeight = 22, kRowBottom = 24;
constexpr double kLabelGap = 10, kMostText = 110;

class RowWriter {
 public:
  explicit RowWriter(const RowPlot& plot) : plot_(plot) {
    for (const RowMark& row : plot.rows) {
      left_ = std::max(left_, std::min(kMostLabel, text_width(one_line(row.label))) + kLabelGap);
      behind_ = std::max(behind_, std::min(kMostText, text_width(one_line(row.text)) + 10));
      if (!std::isfinite(row.value)) continue;
      any_ = true;
      reach_.add(row.value);
      if (row.bounds) {
        reach_.add(row.bounds->first);
        reach_.add(row.bounds->second);
      }
      for (const double asked : row.asked) reach_.add(asked);
    }
    for (const double line : plot.lines) reach_.add(line);
    if (plot.bars) reach_.add(0);
    const double span = reach_.high - reach_.low, least = std::max(span, std::abs(reach_.high) * 0.02);
    const double room = span < least || span == 0 ? std::max(least, 1e-3) / 2 : span * 0.04;
    if (!plot.bars || reach_.low < 0) reach_.low -= room;
    reach_.high += room;
  }

  std::optional<Picture> write() {
    const std::vector<double> ticks = ticks_between(reach_.low, reach_.high);
    if (!any_ || !reach_.has_span() || ticks.empty()) return std::nullopt;
    const double bottom = kRowTop + kRowHeight * static_cast<double>(plot_.rows.size());
    double free = -1e9;
    for (const double tick : ticks) {
      out_ +=
          fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", right(tick), kRowTop, bottom + 4);
      const std::string text = tick_text(tick);
      if (right(tick) - text_width(text) / 2 < free + 8) continue;
      free = right(tick) + text_width(text) / 2;
      out_ += svg_label(right(tick), bottom + 17, "middle", text);
    }
    for (const double line : plot_.lines) {
      if (!std::isfinite(line)) continue;
      out_ += fmt::format("<path class=\"axis over\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", right(line), kRowTop,
                          bottom);
    }
    out_ += svg_label(left_, 12, "start", fitted(one_line(plot_.name), kPictureWidth - left_));
    double top = kRowTop;
    for (const RowMark& row : plot_.rows) {
      draw(row, top);
      top += kRowHeight;
    }
    return Picture{plot_.title, plot_.description, {}, plot_.note, bottom + kRowBottom, std::move(out_)};
  }

 private:
  [[nodiscard]] double right(double value) const {
    return left_ + (value - reach_.low) / (reach_.high - reach_.low) * (kPictureWidth - left_ - behind_ - 4);
  }

  void draw(const RowMark& row, double top) {
    const double middle = top + kRowHeight / 2;
    out_ += svg_label(left_ - 8, middle + 4, "end", fitted(one_line(row.label), left_ - kLabelGap));
    if (!std::isfinite(row.value)) return;
    out_ += fmt::format("<g class=\"s{}\">{}", row.colour % kSeriesColours, svg_tip(row.tip));
    if (plot_.bars) {
      const double from = right(std::min(0.0, row.value)), to = right(std::max(0.0, row.value));
      out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", from,
                          top + 4, std::max(0.5, to - from), kRowHeight - 8);
    }
    if (row.bounds && std::isfinite(row.bounds->first) && std::isfinite(row.bounds->second)) {
      const double low = right(row.bounds->first), high = right(row.bounds->second);
      out_ += fmt::format(
          "<path class=\"bounds{}\" d=\"M{:.1f} {:.1f}H{:.1f}M{:.1f} {:.1f}v6M{:.1f} {:.1f}v6\"/>",
          plot_.bars ? " over" : "", low, middle, high, low, middle - 3, high, middle - 3);
    }
    if (!plot_.bars)
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>", right(row.value), middle);
    out_ += "</g>";
    for (const double asked : row.asked) {
      if (!std::isfinite(asked)) continue;
      const std::string line = fmt::format("d=\"M{:.1f} {:.1f}v{:.1f}\"/>", right(asked), top, kRowHeight);
      // Dashes have too little contrast to a bar that they cross.
      if (plot_.bars) out_ += "<path class=\"halo\" " + line;
      out_ += "<path class=\"asked\" " + line;
    }
    if (!row.text.empty())
      out_ += svg_label(kPictureWidth, middle + 4, "end", fitted(one_line(row.text), kMostText));
  }

  const RowPlot& plot_;
  Extent reach_;
  bool any_ = false;
  double left_ = 24, behind_ = 20;
  std::string out_;
};

}  // namespace

std::optional<Picture> svg_rows(const RowPlot& plot) { return RowWriter(plot).write(); }

}  // namespace assay::reporters
