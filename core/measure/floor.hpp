// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay::measure {

// What disturbs a reading only ever makes it longer.
[[nodiscard]] inline double fastest(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

// Where this many readings are as short as the shortest, nothing disturbed these.
inline constexpr std::size_t kUndisturbed = 3;
inline constexpr double kSameFloor = 1.1;

[[nodiscard]] inline bool is_floor(std::vector<double> times) {
  if (times.size() < kUndisturbed) return false;
  const auto last = times.begin() + kUndisturbed - 1;
  std::nth_element(times.begin(), last, times.end());
  return *last <= kSameFloor * fastest(times);
}

}  // namespace assay::measure
