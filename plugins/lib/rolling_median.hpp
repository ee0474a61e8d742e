// SPDX-License-Identifier: Apache-2.0
//
// The median of the latest times of each cell of a matrix. It ignores warm-up and single samples that were disturbed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay::plugins {

class RollingMedian {
 public:
  explicit RollingMedian(std::size_t cells) : times_(cells * kKept), added_(cells) {}

  void add(std::size_t cell, double time_s) {
    times_[cell * kKept + added_[cell] % kKept] = time_s;
    ++added_[cell];
  }

  // The lower one of two in the middle; 0 if there is none.
  [[nodiscard]] double median(std::size_t cell) const {
    const std::size_t count = std::min(added_[cell], kKept);
    if (count == 0) return 0;
    const auto first = times_.begin() + static_cast<std::ptrdiff_t>(cell * kKept);
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
