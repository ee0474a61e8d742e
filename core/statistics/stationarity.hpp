// SPDX-License-Identifier: Apache-2.0
//
// Is a series in one steady state? These functions report; they remove nothing.
#pragma once

#include "statistics/estimate.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace assay::statistics {

// ---- While warming up ----

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

// ---- After sampling ----

// What a change of level, or a way from one to another, must come to before anything is said of it: it is
// below what comparisons resolve, and quiet machines show smaller ones in series after series.
inline constexpr double kSmallestChange = 0.005;

// A transient at the start, by MSER-5 (White 1997): the cut that minimises the standard error of the mean of
// the rest, in batches of five. That rule alone finds a cut in almost every series, so a cut counts only if
// the mean before it differs from the mean after it beyond the 99.5 % interval of their difference, and by
// more than kSmallestChange.
struct WarmupCut {
  std::size_t samples = 0;  // that belong to the transient; 0: none
  bool steady = true;       // false: such a cut exists, but in the second half: no steady part was found
};
// Shorter series than that have ten batches or more of fewer samples. Such a start is too short to have a
// noise of its own, so that the rest's counts, beyond its 99.98 % interval, and the median of the start must
// have gone with the mean half of the way at least: one sample that was held up is no transient.
inline constexpr std::size_t kFewestForBatches = 50;
inline constexpr std::size_t kFewestForCut = 10;  // shorter series: no cut
[[nodiscard]] WarmupCut mser5(std::span<const double> values);

// Theil-Sen slope over the whole series, as a share of the median: positive means that later samples take
// longer.
struct Drift {
  double relative = 0;  // slope * n / median
  double low = 0;       // 95 % interval (Sen 1968), widened for correlated samples
  double high = 0;
  bool drifting = false;  // the 99 % interval excludes 0, and |relative| > kSmallestChange
};
// None below 20 values. Longer series than 200 are thinned to 200 medians of equal blocks, so the cost is
// O(n).
[[nodiscard]] std::optional<Drift> drift(std::span<const double> values);

// Two states: splitting at the largest gap of the sorted values (2.5 % at either end left aside) explains
// over 80 % of the variance, both parts hold at least 10 %, and their centres are more than kSmallestChange
// apart. Fewer than 20 values: none.
struct Modes {
  bool bimodal = false;
  double low_centre = 0;  // medians of the parts; both the median of all if not bimodal
  double high_centre = 0;
  double high_share = 0;  // share of values in the upper part
};
[[nodiscard]] Modes modes(std::span<const double> values);

// mean / median - 1; reports flag it beyond 1 %. values: at least one, positive.
[[nodiscard]] double skew(std::span<const double> values);
inline constexpr double kSkewLimit = 0.01;

}  // namespace assay::statistics
