// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay::plugins {

// Times closer than this share are the same: then the earlier way wins, so that processes agree. Above what
// one and the same way differs by, below what anybody would miss.
inline constexpr double kSameTime = 1e-3;

// The place of the earliest among times (at least one, all above 0) that are no more than kSameTime above the
// shortest.
inline std::size_t first_of_fastest(const std::vector<double>& times_s) {
  const double limit_s = *std::min_element(times_s.begin(), times_s.end()) * (1 + kSameTime);
  std::size_t i = 0;
  while (times_s[i] > limit_s) ++i;
  return i;
}

}  // namespace assay::plugins
