// SPDX-License-Identifier: Apache-2.0
//
// What of a sample does not grow with its iterations: T(n) = cost + n * slope, so that cost = 2 T(n) - T(2n).
#pragma once

#include "statistics/interval.hpp"

#include <optional>
#include <span>
#include <vector>

namespace assay::statistics {

// Of one round: how long n iterations took and how long 2n, in turn; both of one length, in seconds.
struct PairedTimes {
  std::vector<double> once_s, twice_s;
};

struct FixedTime {
  double value = 0;  // s; below zero by chance, or where time grows faster than iterations
  ConfidenceInterval interval;
};

// Of a round the median over its pairs, which readings that were held up do not move. Over three rounds or more their mean, by Student's
// t; over fewer what single pairs tell. tick_s: of the clock, 0 if unknown. None with fewer than six pairs, or a round without any.
[[nodiscard]] std::optional<FixedTime> fixed_cost(std::span<const PairedTimes> rounds, double tick_s,
                                                  double level = 0.95);

}  // namespace assay::statistics
