// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/random.hpp>

namespace assay::plugins {

// A sum as if in twice the precision. Source: D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2.
class TwoSum {
 public:
  ASSAY_HOST_DEVICE void add(double value) {
    const double sum = high_ + value, part = sum - high_;
    low_ += (high_ - (sum - part)) + (value - part);
    high_ = sum;
  }
  ASSAY_HOST_DEVICE double high() const { return high_; }
  ASSAY_HOST_DEVICE double low() const { return low_; }
  ASSAY_HOST_DEVICE double value() const { return high_ + low_; }

 private:
  double high_ = 0, low_ = 0;
};

}  // namespace assay::plugins
