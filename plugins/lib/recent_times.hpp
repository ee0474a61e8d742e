// SPDX-License-Identifier: Apache-2.0
//
// The median of the latest times of each cell of a matrix. It ignores warm-up and single samples that were disturbed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay::plugins {

class RecentTimes {
 public:
  explicit RecentTimes(std::size_t things) : times_(things * kKept), added_(things) {}

  void add(std::size_t thing, double time_s) {
    times_[thing * kKept + added_[thing] % kKept] = time_s;
    ++added_[thing];
  }

  // The lower one of two in the middle; 0 if there is none.
  [[nodiscard]] double median(std::size_t thing) const {
    const std::size_t count = std::min(added_[thing], kKept);
    if (count == 0) return 0;
    const auto first = times_.begin() + static_cast<std::ptrdiff_t>(thing * kKept);
    std::vector<double> sorted(first, first + static_cast<std::ptrdiff_t>(count));
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

 private:
  static constexpr std::size_t kKept = 63;
  std::vector<double> times_;
  std::vector<std::size_t> added_;
};

}  // namespace assay::plugins
