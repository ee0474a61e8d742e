// SPDX-License-Identifier: Apache-2.0
//
// Values over numbers, and how often values occur, as pictures.
#pragma once

#include "lib/picture.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

struct PlotPoint {
  double x = 0, y = 0;
  std::optional<std::pair<double, double>> bounds = std::nullopt;  // low and high
  std::string tip = {};                                            // shown on hover; "" for none
  std::string label = {};                                          // of its x, on the axis; "" for the number
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;                     // by x
  std::vector<std::pair<double, double>> roof = {};  // a dotted line in the same colour
};

inline constexpr double kPlot = 240;  // height

struct Plot {
  std::string title, description, note;
  std::string x_name, y_name;         // with units
  bool log_x = false, log_y = false;  // only what is positive has a place there
  bool lines = true;                  // joins the points of a series
  double height = kPlot;
  std::optional<double> asked;  // a line across, of y
  std::vector<PlotSeries> series;
};

// What is not a finite number is left out. Nothing without a point, or where the values span more than numbers do. Of more than
// kSeriesColours series the colours come again, with dashed lines.
[[nodiscard]] std::optional<Picture> svg_plot(const Plot& plot);

// How often values fall into equal steps of their range; nothing of fewer than two different ones.
[[nodiscard]] std::optional<Picture> svg_histogram(const std::string& title, const std::string& x_name,
                                                   const std::vector<double>& values);

}  // namespace assay::reporters
