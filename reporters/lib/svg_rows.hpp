// SPDX-License-Identifier: Apache-2.0
//
// A value a row, with its name in front: bars from zero, or points around what they are compared with.
#pragma once

#include "lib/picture.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

inline constexpr double kMostLabel = 300;  // of the width of a picture; the end of a longer one is cut

struct RowMark {
  std::string label, text;  // in front of the row, and behind it
  double value = 0;
  std::optional<std::pair<double, double>> bounds = std::nullopt;  // low and high
  std::vector<double> asked = {};                                  // dashed lines across the row
  std::string tip = {};                                            // shown on hover; "" for none
  std::size_t colour = 0;                                          // below kSeriesColours
};

struct RowPlot {
  std::string title, description, note;
  std::string name;                // of the values, with their unit
  bool bars = true;                // else points; the axis of bars begins at zero
  std::vector<double> lines = {};  // across all rows, drawn as the axis is: what no change is, say
  std::vector<RowMark> rows;
};

// Rows whose value is not a finite number keep their name only. Nothing where no row has a value, or where the values span more than numbers do.
[[nodiscard]] std::optional<Picture> svg_rows(const RowPlot& plot);

}  // namespace assay::reporters
