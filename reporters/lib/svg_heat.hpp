// SPDX-License-Identifier: Apache-2.0
//
// A value between every two of several things, as a field of colours.
#pragma once

#include "lib/picture.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace assay::reporters {

struct HeatCell {
  std::string text, tip;
  std::optional<std::size_t> step;  // below kHeatSteps; none: not coloured
};

inline constexpr std::size_t kHeatSteps = 5;

struct HeatMap {
  std::string title, description, note;
  std::vector<std::string> labels;             // of rows and columns alike: from, and to
  std::vector<std::optional<HeatCell>> cells;  // row by row; as many as labels squared
  std::vector<std::string> steps;              // what each colour stands for; none where nothing is coloured
};

// Nothing of fewer than two labels.
[[nodiscard]] std::optional<Picture> svg_heat(const HeatMap& map);

}  // namespace assay::reporters
