// SPDX-License-Identifier: Apache-2.0
#include "lib/svg.hpp"

#include "lib/svg_axis.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace assay::reporters {
namespace {

constexpr double kLeft = 64, kRight = 12, kTop = 28, kBottom = 42;

bool has_place(double value, bool logarithmic) {
  return std::isfinite(logarithmic ? std::log10(value) : value);
}

// Without what no axis can show.
Plot finite_part(Plot plot) {
  for (PlotSeries& series : plot.series) {
    std::erase_if(series.points, [&](const PlotPoint& point) {
      return !has_place(point.x, plot.log_x) || !has_place(point.y, plot.log_y);
    });
    std::erase_if(series.roof, [&](const auto& corner) {
      return !has_place(corner.first, plot.log_x) || !has_place(corner.second, plot.log_y);
    });
    for (PlotPoint& point : series.points)
      if (point.bounds &&
          !(has_place(point.bounds->first, plot.log_y) && has_place(point.bounds->second, plot.log_y)))
        point.bounds.reset();
  }
  if (plot.asked && !has_place(*plot.asked, plot.log_y)) plot.asked.reset();
  return plot;
}

class PlotWriter {
 public:
  explicit PlotWriter(const Plot& plot) : plot_(finite_part(plot)) {
    for (const PlotSeries& series : plot_.series) {
      for (const PlotPoint& point : series.points) {
        x_.add(across(point.x));
        y_.add(up(point.y));
        if (!point.bounds) continue;
        y_.add(up(point.bounds->first));
        y_.add(up(point.bounds->second));
      }
      any_ = any_ || !series.points.empty();
    }
    if (plot_.asked) y_.add(up(*plot_.asked));
    for (const PlotSeries& series : plot_.series) {
      for (const auto& [x, y] : series.roof) {
        x_.add(across(x));
        y_.add(up(y));
      }
    }
    if (!plot_.log_y) {
      // Zero belongs to it where the values are not far from it; a sliver of noise is not blown up to a mountain.
      if (y_.low > 0 && y_.low < y_.high * 0.6) y_.low = 0;
      const double least = std::abs(y_.high) * 0.02;
      if (y_.high - y_.low < least) {
        y_.low -= least;
        y_.high += least;
      }
    }
    if (!(y_.high > y_.low)) y_.high = y_.low + 1;
    if (!(x_.high > x_.low)) {
      x_.low -= 0.5;
      x_.high += 0.5;
    }
  }

  std::optional<Picture> write() {
    const std::vector<double> ticks =
        plot_.log_y ? log_ticks_between(y_.low, y_.high) : ticks_between(y_.low, y_.high);
    if (!any_ || !x_.has_span() || !y_.has_span() || ticks.empty()) return std::nullopt;
    axes(ticks);
    if (plot_.asked) {
      out_ += fmt::format("<path class=\"asked\" d=\"M{:.1f} {:.1f}H{:.1f}\">{}</path>", kLeft,
                          down(*plot_.asked), kPictureWidth - kRight,
                          svg_tip("asked: " + tick_text(*plot_.asked)));
    }
    Picture picture{plot_.title, plot_.description, {}, plot_.note, plot_.height, {}};
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      draw(plot_.series[i], i);
      if (plot_.series.size() > 1)
        picture.key.push_back({"s" + std::to_string(i % kSeriesColours),
                               plot_.series[i].name + (i < kSeriesColours ? "" : " (dashed)")});
    }
    picture.body = std::move(out_);
    return picture;
  }

 private:
  [[nodiscard]] double across(double x) const { return plot_.log_x ? std::log10(x) : x; }
  [[nodiscard]] double up(double y) const { return plot_.log_y ? std::log10(y) : y; }
  [[nodiscard]] double right(double x) const {
    return kLeft + 8 + (across(x) - x_.low) / (x_.high - x_.low) * (kPictureWidth - kLeft - kRight - 16);
  }
  [[nodiscard]] double down(double y) const {
    return plot_.height - kBottom - (up(y) - y_.low) / (y_.high - y_.low) * (plot_.height - kTop - kBottom);
  }

  void axes(const std::vector<double>& ticks) {
    for (const double tick : ticks) {
      out_ += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", kLeft, down(tick),
                          kPictureWidth - kRight);
      out_ += svg_label(kLeft - 6, down(tick) + 4, "end", tick_text(tick));
    }
    std::map<double, std::string> xs;
    for (const PlotSeries& series : plot_.series)
      for (const PlotPoint& point : series.points)
        xs.emplace(point.x, point.label.empty() ? tick_text(point.x) : one_line(point.label));
    double free = -1e9;  // what would touch its neighbour is left out
    for (const auto& [x, text] : xs) {
      const double half = text_width(text) / 2, middle = std::min(right(x), kPictureWidth - half);
      if (middle - half < free + 8) continue;
      free = middle + half;
      out_ += svg_label(middle, plot_.height - kBottom + 16, "middle", text);
    }
    out_ += svg_label((kLeft + kPictureWidth - kRight) / 2, plot_.height - 6, "middle",
                      fitted(one_line(plot_.x_name), kPictureWidth - kLeft));
    out_ += svg_label(4, 12, "start", fitted(one_line(plot_.y_name), kPictureWidth - 8));
  }

  void draw(const PlotSeries& series, std::size_t number) {
    out_ += fmt::format("<g class=\"s{}\">", number % kSeriesColours);
    std::string path;
    for (const auto& [x, y] : series.roof)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", right(x), down(y));
    if (!path.empty()) out_ += "<path class=\"roof\" d=\"" + path + "\"/>";
    path.clear();
    for (const PlotPoint& point : series.points)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", right(point.x), down(point.y));
    if (plot_.lines && series.points.size() > 1)
      out_ += std::string("<path class=\"line") + (number < kSeriesColours ? "" : " again") + "\" d=\"" +
              path + "\"/>";
    for (const PlotPoint& point : series.points) {
      if (point.bounds) {
        out_ += fmt::format("<path class=\"bounds\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", right(point.x),
                            down(point.bounds->first), down(point.bounds->second));
      }
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"", right(point.x), down(point.y),
                          series.points.size() > 40 ? "1.5" : "3.5");
      out_ += point.tip.empty() ? "/>" : ">" + svg_tip(point.tip) + "</circle>";
    }
    out_ += "</g>";
  }

  const Plot plot_;
  Extent x_, y_;
  bool any_ = false;
  std::string out_;
};

}  // namespace

std::optional<Picture> svg_plot(const Plot& plot) { return PlotWriter(plot).write(); }

std::optional<Picture> svg_histogram(const std::string& title, const std::string& x_name,
                                     const std::vector<double>& values) {
  constexpr std::size_t kSteps = 24;
  Extent all;
  for (const double value : values) all.add(value);
  if (!all.has_span()) return std::nullopt;
  std::vector<std::size_t> counts(kSteps);
  for (const double value : values)
    if (std::isfinite(value))
      ++counts[std::min(kSteps - 1,
                        static_cast<std::size_t>((value - all.low) / (all.high - all.low) * kSteps))];
  const double most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  const double wide = (kPictureWidth - kLeft - kRight) / kSteps, tall = kPlot - kTop - kBottom;
  std::string out = "<g class=\"s0\">";
  for (std::size_t i = 0; i < kSteps; ++i) {
    if (counts[i] == 0) continue;
    const double height = static_cast<double>(counts[i]) / most * tall, step = (all.high - all.low) / kSteps;
    const double from = all.low + static_cast<double>(i) * step;
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}</rect>",
                       kLeft + wide * static_cast<double>(i), kTop + tall - height, wide - 2, height,
                       svg_tip(fmt::format("{:.4g} to {:.4g}: {}", from, from + step, counts[i])));
  }
  out += "</g>" + svg_label(kLeft, kPlot - kBottom + 16, "start", fmt::format("{:.4g}", all.low)) +
         svg_label(kPictureWidth - kRight, kPlot - kBottom + 16, "end", fmt::format("{:.4g}", all.high)) +
         svg_label((kLeft + kPictureWidth - kRight) / 2, kPlot - 6, "middle",
                   fitted(one_line(x_name), kPictureWidth - kLeft));
  return Picture{title, fmt::format("{} values from {:.4g} to {:.4g}", values.size(), all.low, all.high),
                 {},    {},
                 kPlot, std::move(out)};
}

}  // namespace assay::reporters
