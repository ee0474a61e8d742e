// SPDX-License-Identifier: Apache-2.0
//
// What went on when, one below the other.
#pragma once

#include "lib/picture.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace assay::reporters {

struct LaneSpan {
  double begin = 0, end = 0;
  std::size_t colour = 0;  // below kSeriesColours
  std::string text, tip;   // the text is shown where it has room
};

struct LaneLine {
  std::string label;
  std::vector<LaneSpan> spans;
};

struct LanePlot {
  std::string title, description, note;
  std::string name;  // of the axis, with its unit
  std::vector<LaneLine> lanes;
  std::vector<KeyEntry> key;
};

// Nothing where no span has a length.
[[nodiscard]] std::optional<Picture> svg_lanes(const LanePlot& plot);

}  // namespace assay::reporters
