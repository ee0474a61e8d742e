// SPDX-License-Identifier: Apache-2.0
//
// Pictures as SVG inside a page: the same bytes for the same numbers, no script, no reference to anything outside, a text alternative. Colours
// are classes of the page (s0 to s5, axis, asked), so that they follow its theme; values stand in <title>, which browsers show on hover.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

struct PlotPoint {
  double x = 0, y = 0;
  std::optional<std::pair<double, double>> bounds = std::nullopt;  // low and high
  std::string tip = {};                                            // shown on hover; "" for none
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  // by x
};

inline constexpr double kPlot = 240, kLowPlot = 150;  // heights; the width is 560

struct Plot {
  std::string title, description;  // in words, for who does not see it
  std::string x_name, y_name;      // with units
  bool log_x = false;              // only where every x is positive
  bool lines = true;               // joins the points of a series
  double height = kPlot;
  std::optional<double> asked;  // a line across, of y
  std::vector<PlotSeries> series;
};

// What is no finite number is left out. "" without a point, or where the values span more than numbers do. Of more than kSeriesColours series the colours come again.
inline constexpr std::size_t kSeriesColours = 6;
[[nodiscard]] std::string svg_plot(const Plot& plot);

// How often values fall into equal steps of their range; "" of fewer than two different ones.
[[nodiscard]] std::string svg_histogram(const std::string& title, const std::string& x_name,
                                        const std::vector<double>& values);

}  // namespace assay::reporters
