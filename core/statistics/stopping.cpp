// SPDX-License-Identifier: Apache-2.0
#include "statistics/stopping.hpp"

#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>

namespace assay::statistics {

namespace {

constexpr double kGrowth = 1.25;
constexpr std::uint64_t kFewestSamples = 5;
constexpr double kLongSample_s = 0.1;
constexpr std::uint64_t kFewestLongSamples = 10;
constexpr double kVeryLongSample_s = 1;

std::uint64_t look_after(std::uint64_t look) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(look) * kGrowth));
}

enum class Width { wide, at_resolution, narrow };

Width width_of(std::span<const double> seconds, const StoppingOptions& options) {
  const double time_s = sum(seconds);
  if (time_s < options.minimum_time_s) return Width::wide;
  if (options.minimum_time_s > 0 && options.statistic == Statistic::mean &&
      seconds.size() < kFewestSamplesForMean && time_s < kEnoughTimeForMean_s) {
    return Width::wide;
  }
  const SampleEstimate now = estimate(seconds, options.statistic, options.tick_s, options.level);
  if (!now.interval) return Width::wide;
  const double half_width = now.interval->half_width();
  if (half_width <= options.precision * now.value) return Width::narrow;
  // The interval is never narrower than the clock's accuracy; a hair more, since its ends were rounded. That of a
  // median which shows the tick is a tick long where both ends fall on one, and two where it lies between two.
  const bool shows_tick = options.statistic == Statistic::median && is_quantised(seconds, options.tick_s);
  const double resolution =
      std::max(shows_tick ? options.tick_s : options.tick_s / 2, kTimingAccuracy * now.value) * (1 + 1e-9);
  return half_width <= resolution ? Width::at_resolution : Width::wide;
}

}  // namespace

std::uint64_t StoppingRule::first_look(double sample_s) const {
  const std::uint64_t fewest = sample_s > kVeryLongSample_s ? kFewestSamples
                               : sample_s > kLongSample_s   ? kFewestLongSamples
                                                            : options_.minimum_samples;
  return std::max<std::uint64_t>(1, std::min(fewest, options_.minimum_samples));
}

std::uint64_t StoppingRule::next_look(std::uint64_t n, double sample_s) const {
  std::uint64_t look = first_look(sample_s);
  while (look < n) look = look_after(look);
  return look;
}

Decision StoppingRule::decide(std::span<const double> seconds, double elapsed_s) const {
  const std::uint64_t n = seconds.size();
  // By the first five samples only, so that the looks stay where they are as the series grows; until then
  // they might be long.
  const double typical = n < kFewestSamples ? INFINITY : median(seconds.first(kFewestSamples));
  std::uint64_t before = 0;
  std::uint64_t latest = 0;
  std::uint64_t next = first_look(typical);
  while (next <= n) {
    before = latest;
    latest = next;
    next = look_after(next);
  }
  if (before > 0) {
    const Width now = width_of(seconds.first(latest), options_);
    if (now != Width::wide && width_of(seconds.first(before), options_) != Width::wide) {
      return {now == Width::narrow ? StopReason::converged : StopReason::resolution_limited, 0};
    }
  }
  if (n >= options_.maximum_samples) return {StopReason::max_samples, 0};
  if (elapsed_s >= options_.maximum_time_s) return {StopReason::max_time, 0};
  std::uint64_t more = std::min(next, options_.maximum_samples) - n;
  if (n > 0 && elapsed_s > 0) {
    const double fit = (options_.maximum_time_s - elapsed_s) / (elapsed_s / static_cast<double>(n));
    if (fit < static_cast<double>(more)) more = static_cast<std::uint64_t>(fit) + 1;
  }
  return {StopReason::none, more};
}

}  // namespace assay::statistics
