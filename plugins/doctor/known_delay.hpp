// SPDX-License-Identifier: Apache-2.0
//
// A straight line through measured times of known delays: the slope says whether the clock is right, the
// offset what a single piece of work costs beyond its own time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::doctor {

struct Delay {
  std::uint64_t nanoseconds;
  int repeats;
};
// 10 µs to 1 s; the shorter, the more often. 1.4 s in all.
inline constexpr Delay kDelays[] = {{10000, 50},   {20000, 50},   {50000, 50},    {100000, 50},
                                    {1000000, 20}, {10000000, 5}, {100000000, 3}, {1000000000, 1}};

// The middle value, or the mean of the two in the middle; `values` is not empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Line {
  double slope = 0, offset = 0;
};

// By least squares: the longest delays decide, for which no offset matters. Two different delays at least.
inline Line line_through(const std::vector<double>& delays, const std::vector<double>& times) {
  const double count = static_cast<double>(delays.size());
  double mean_delay = 0, mean_time = 0;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    mean_delay += delays[i] / count;
    mean_time += times[i] / count;
  }
  double covariance = 0, variance = 0;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    covariance += (delays[i] - mean_delay) * (times[i] - mean_time);
    variance += (delays[i] - mean_delay) * (delays[i] - mean_delay);
  }
  Line line;
  line.slope = covariance / variance;
  line.offset = mean_time - line.slope * mean_delay;
  return line;
}

// The offset of the delays up to 1 ms: that of longer ones drowns in a slope's last digits.
inline double offset_of(const std::vector<double>& delays, const std::vector<double>& times) {
  constexpr double kLongest_s = 1.1e-3;
  std::vector<double> offsets;
  for (std::size_t i = 0; i < delays.size(); ++i)
    if (delays[i] <= kLongest_s) offsets.push_back(times[i] - delays[i]);
  return median(std::move(offsets));
}

}  // namespace assay::plugins::doctor
