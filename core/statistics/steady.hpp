// SPDX-License-Identifier: Apache-2.0
//
// While warming up: has the series settled?
#pragma once

#include "statistics/estimate.hpp"

#include <cstddef>
#include <span>

namespace assay::statistics {

struct SteadyOptions {
  Statistic statistic = Statistic::median;  // of a window
  std::size_t window_samples = 20;          // a window is complete with this many samples and this much time,
  double window_s = 0.05;     // or after 1 s (or window_s if that is longer), whatever the number of samples
  std::size_t windows = 4;    // the last so many must agree
  double tolerance = 0.0025;  // each within this share of their median, or within one tick
  double minimum_s = 0.5;     // sum of the samples
  double tick_s = 0;
};

// Work under a power limit swings for tens to hundreds of milliseconds: the means of windows of 1 s, within
// 0.5 %.
[[nodiscard]] SteadyOptions sustained_steady_options();

// seconds: all warm-up samples so far, in order, each positive. Windows are cut from the first sample on; the
// last, incomplete one does not count. O(n).
[[nodiscard]] bool is_steady(std::span<const double> seconds, const SteadyOptions& options);

}  // namespace assay::statistics
