// SPDX-License-Identifier: Apache-2.0
//
// Is a series in one steady state? These functions report; they remove nothing.
#pragma once

#include "statistics/estimate.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace assay::statistics {

// ---- While warming up
// ---------------------------------------------------------------------------------------------

struct SteadyOptions {
  Statistic statistic = Statistic::median;  // of a window
  std::size_t window_samples = 20;          // a window is complete with this many samples and this much time,
  double window_s = 0.05;                   // or after 1 s, whatever the number of samples
  std::size_t windows = 4;                  // the last so many must agree
  double tolerance = 0.0025;                // each within this share of their median, or within one tick
  double minimum_s = 0.5;                   // sum of the samples
  double tick_s = 0;
};

// Work under a power limit swings for tens to hundreds of milliseconds: windows of at least 1 s, their means.
[[nodiscard]] SteadyOptions sustained_steady_options();

// seconds: all warm-up samples so far, in order. Windows are cut from the first sample on. O(n).
[[nodiscard]] bool is_steady(std::span<const double> seconds, const SteadyOptions& options);

// ---- After sampling
// -----------------------------------------------------------------------------------------------

// MSER-5 (White 1997): the cut that minimises the standard error of the means of batches of five.
struct WarmupCut {
  std::size_t samples = 0;  // that belong to a transient; 0: none
  bool steady = true;       // false: the best cut is in the second half, so no steady part was found
};
[[nodiscard]] WarmupCut mser5(std::span<const double> values);

// Theil-Sen slope over the whole series, as a share of the median.
struct Drift {
  double relative = 0;  // slope * n / median
  double low = 0;       // 95 % interval, widened for correlated samples
  double high = 0;
  bool drifting = false;  // the interval excludes 0 and |relative| > 0.5 %
};
inline constexpr double kDriftLimit = 0.005;
// None below 20 values. Longer series than 500 are averaged in equal blocks (medians) first.
[[nodiscard]] std::optional<Drift> drift(std::span<const double> values);

// Two states: splitting at the largest gap of the sorted values explains over 80 % of the variance, and both
// parts hold at least 10 %.
struct Modes {
  bool bimodal = false;
  double low_centre = 0;  // medians of the parts; both the median if not bimodal
  double high_centre = 0;
  double high_share = 0;  // share of values in the upper part
};
[[nodiscard]] Modes modes(std::span<const double> values);

// Values outside Tukey's fences: mild beyond 1.5, severe beyond 3 interquartile ranges (severe ones are not
// mild, too).
struct Outliers {
  std::size_t severe_low = 0;
  std::size_t mild_low = 0;
  std::size_t mild_high = 0;
  std::size_t severe_high = 0;
};
[[nodiscard]] Outliers outliers(std::span<const double> values);

// mean / median - 1; reports flag it beyond 1 %. values: at least one, positive.
[[nodiscard]] double skew(std::span<const double> values);
inline constexpr double kSkewLimit = 0.01;

}  // namespace assay::statistics
