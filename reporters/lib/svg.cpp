// SPDX-License-Identifier: Apache-2.0
#include "lib/svg.hpp"

#include "lib/escape.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace assay::reporters {
namespace {

constexpr double kWidth = 560, kLeft = 64, kRight = 12, kTop = 28, kBottom = 42;

struct Extent {
  double low = 0, high = 0;
  bool any = false;

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
};

// 1, 2 or 5 times a power of ten, so that about five of them fit.
double tick_step(double span) {
  const double raw = span / 5, power = std::pow(10.0, std::floor(std::log10(raw))), lead = raw / power;
  return power * (lead > 5 ? 10 : lead > 2 ? 5 : lead > 1 ? 2 : 1);
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  return size != 0 && (size >= 1e6 || size < 1e-3) ? fmt::format("{:.3g}", value)
                                                   : shortest(std::round(value * 1e6) / 1e6);
}

std::string begin_svg(const std::string& title, const std::string& description, double height) {
  return fmt::format(
             "<svg class=\"plot\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\"><title>{}</title>",
             kWidth, height, xml_text(one_line(title))) +
         (description.empty() ? std::string() : "<desc>" + xml_text(one_line(description)) + "</desc>");
}

// Without what no axis can show.
Plot finite_part(Plot plot) {
  for (PlotSeries& series : plot.series) {
    std::erase_if(series.points, [&](const PlotPoint& point) {
      return !std::isfinite(plot.log_x ? std::log10(point.x) : point.x) || !std::isfinite(point.y);
    });
    for (PlotPoint& point : series.points)
      if (point.bounds && !(std::isfinite(point.bounds->first) && std::isfinite(point.bounds->second)))
        point.bounds.reset();
  }
  if (plot.asked && !std::isfinite(*plot.asked)) plot.asked.reset();
  return plot;
}

class PlotWriter {
 public:
  explicit PlotWriter(const Plot& plot) : plot_(finite_part(plot)) {
    for (const PlotSeries& series : plot_.series) {
      for (const PlotPoint& point : series.points) {
        x_.add(across(point.x));
        y_.add(point.y);
        if (!point.bounds) continue;
        y_.add(point.bounds->first);
        y_.add(point.bounds->second);
      }
    }
    if (plot_.asked) y_.add(*plot_.asked);
    // Zero belongs to it where the values are not far from it; a sliver of noise is not blown up to a mountain.
    if (y_.low > 0 && y_.low < y_.high * 0.6) y_.low = 0;
    const double least = std::abs(y_.high) * 0.02;
    if (y_.high - y_.low < least) {
      y_.low -= least;
      y_.high += least;
    }
    if (!(y_.high > y_.low)) y_.high = y_.low + 1;
    if (!(x_.high > x_.low)) {
      x_.low -= 0.5;
      x_.high += 0.5;
    }
  }

  std::string write() {
    const double step = tick_step(y_.high - y_.low);
    if (!x_.any || !std::isfinite(x_.high - x_.low) || !std::isfinite(y_.high - y_.low) || !(step > 0))
      return {};
    out_ = begin_svg(plot_.title, plot_.description, plot_.height);
    axes(step);
    if (plot_.asked) {
      out_ += fmt::format("<path class=\"asked\" d=\"M{:.1f} {:.1f}H{:.1f}\"><title>asked: {}</title></path>",
                          kLeft, down(*plot_.asked), kWidth - kRight, tick_text(*plot_.asked));
    }
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw(plot_.series[i], i % kSeriesColours);
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double across(double x) const { return plot_.log_x ? std::log10(x) : x; }
  [[nodiscard]] double right(double x) const {
    return kLeft + 8 + (across(x) - x_.low) / (x_.high - x_.low) * (kWidth - kLeft - kRight - 16);
  }
  [[nodiscard]] double down(double y) const {
    return plot_.height - kBottom - (y - y_.low) / (y_.high - y_.low) * (plot_.height - kTop - kBottom);
  }

  void label(double x, double y, const char* anchor, const std::string& text) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                        xml_text(text));
  }

  void axes(double step) {
    for (double tick = std::ceil(y_.low / step) * step; tick <= y_.high + step * 1e-9; tick += step) {
      out_ += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", kLeft, down(tick),
                          kWidth - kRight);
      label(kLeft - 6, down(tick) + 4, "end", tick_text(tick));
    }
    std::vector<double> xs;
    for (const PlotSeries& series : plot_.series)
      for (const PlotPoint& point : series.points) xs.push_back(point.x);
    std::sort(xs.begin(), xs.end());
    double last = -1e9;  // what would touch its neighbour is left out
    for (const double x : xs) {
      if (right(x) - last < 56) continue;
      last = right(x);
      label(last, plot_.height - kBottom + 16, last > kWidth - kRight - 28 ? "end" : "middle", tick_text(x));
    }
    label((kLeft + kWidth - kRight) / 2, plot_.height - 6, "middle", one_line(plot_.x_name));
    out_ += fmt::format("<text class=\"name\" x=\"{:.1f}\" y=\"12\" text-anchor=\"start\">{}</text>", 4.0,
                        xml_text(one_line(plot_.y_name)));
  }

  void draw(const PlotSeries& series, std::size_t colour) {
    out_ += fmt::format("<g class=\"s{}\">", colour);
    std::string path;
    for (const PlotPoint& point : series.points)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", right(point.x), down(point.y));
    if (plot_.lines && series.points.size() > 1) out_ += "<path class=\"line\" d=\"" + path + "\"/>";
    for (const PlotPoint& point : series.points) {
      if (point.bounds) {
        out_ += fmt::format("<path class=\"bounds\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", right(point.x),
                            down(point.bounds->first), down(point.bounds->second));
      }
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"", right(point.x), down(point.y),
                          series.points.size() > 40 ? "1.5" : "3.5");
      out_ += point.tip.empty() ? "/>" : "><title>" + xml_text(one_line(point.tip)) + "</title></circle>";
    }
    out_ += "</g>";
  }

  const Plot plot_;
  Extent x_, y_;
  std::string out_;
};

}  // namespace

std::string svg_plot(const Plot& plot) { return PlotWriter(plot).write(); }

std::string svg_histogram(const std::string& title, const std::string& x_name,
                          const std::vector<double>& values) {
  constexpr std::size_t kSteps = 24;
  Extent all;
  for (const double value : values) all.add(value);
  if (!(all.high > all.low) || !std::isfinite(all.high - all.low)) return {};
  std::vector<std::size_t> counts(kSteps);
  for (const double value : values)
    if (std::isfinite(value))
      ++counts[std::min(kSteps - 1,
                        static_cast<std::size_t>((value - all.low) / (all.high - all.low) * kSteps))];
  const double most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  const double wide = (kWidth - kLeft - kRight) / kSteps, tall = kPlot - kTop - kBottom;
  std::string out =
      begin_svg(title, fmt::format("{} values from {:.4g} to {:.4g}", values.size(), all.low, all.high),
                kPlot) +
      "<g class=\"s0\">";
  for (std::size_t i = 0; i < kSteps; ++i) {
    if (counts[i] == 0) continue;
    const double height = static_cast<double>(counts[i]) / most * tall, step = (all.high - all.low) / kSteps;
    const double from = all.low + static_cast<double>(i) * step;
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{:.4g} to {:.4g}: {}</title></rect>",
        kLeft + wide * static_cast<double>(i), kTop + tall - height, wide - 2, height, from, from + step,
        counts[i]);
  }
  out += fmt::format(
      "</g><text x=\"{:.1f}\" y=\"{:.1f}\">{:.4g}</text><text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g}</text>",
      kLeft, kPlot - kBottom + 16, all.low, kWidth - kRight, kPlot - kBottom + 16, all.high);
  return out + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text></svg>\n",
                           (kLeft + kWidth - kRight) / 2, kPlot - 6, xml_text(one_line(x_name)));
}

}  // namespace assay::reporters
