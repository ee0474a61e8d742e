// SPDX-License-Identifier: Apache-2.0
//
// Is a series in one steady state? These functions report; they remove nothing.
#pragma once

#include "statistics/estimate.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace assay::statistics {

// ---- While warming up ----

struct SteadyOptions {
  Statistic statistic = Statistic::median;  // of a window
  std::size_t window_samples = 20;          // a window is complete with this many samples and this much time,
  double window_s = 0.05;     // or after 1 s (or window_s if that is longer), whatever the number of samples
  std::size_t windows = 4;    // the last of them, which must agree
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

// ---- After sampling ----

// Did the level move while it was looked at? Of each visit the mean of the second half is compared with that of the first.
// The level moved if the root mean square of their differences is more than chance gives (F test at 99 %, the error of a
// half from its own correlated blocks) and more than kSmallestChange, which comparisons do not resolve.
inline constexpr double kSmallestChange = 0.005;
inline constexpr std::size_t kFewestForHalves = 16;  // samples of a visit; shorter ones say nothing

struct Halves {
  std::size_t visits = 0;  // that were long enough
  double change = 0;       // root mean square of second half / first half - 1
  double trend = 0;        // their mean: what all visits have in common
  bool unsteady = false;
};
// visits: positive values of each.
[[nodiscard]] Halves halves(std::span<const std::vector<double>> visits);

}  // namespace assay::statistics
