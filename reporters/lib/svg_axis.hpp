// SPDX-License-Identifier: Apache-2.0
//
// What the writers of pictures share: how far values reach, and where an axis has its ticks.
#pragma once

#include <string>
#include <vector>

namespace assay::reporters {

// From the least to the greatest of what was added and is finite.
struct Extent {
  double low = 0, high = 0;
  bool any = false;

  void add(double value);
  [[nodiscard]] bool has_span() const;  // that numbers can hold
};

// 1, 2 or 5 times a power of ten between the ends, five or so; none where there is no span.
[[nodiscard]] std::vector<double> ticks_between(double low, double high);
// Powers of ten of the values whose logarithms are the ends, and 2 and 5 times them where there are few.
[[nodiscard]] std::vector<double> log_ticks_between(double low, double high);

// "20", "0.5", "2e+06".
[[nodiscard]] std::string tick_text(double value);

}  // namespace assay::reporters
