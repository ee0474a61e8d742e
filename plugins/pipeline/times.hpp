// SPDX-License-Identifier: Apache-2.0
//
// Times of one thing, from all that were ever measured of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay::plugins::pipeline {

// Seconds.
class Times {
 public:
  void add(double seconds) { seconds_.push_back(seconds); }
  bool empty() const { return seconds_.empty(); }
  // 0 without any.
  double median() const {
    if (seconds_.empty()) return 0;
    std::vector<double> sorted = seconds_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

 private:
  std::vector<double> seconds_;
};

}  // namespace assay::plugins::pipeline
