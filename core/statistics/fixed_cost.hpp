// SPDX-License-Identifier: Apache-2.0
//
// The part of a sample's time that does not grow with its iterations: T(n) = cost + n * slope, so that cost = 2 T(n) - T(2n).
#pragma once

#include "statistics/interval.hpp"

#include <optional>
#include <span>
#include <vector>

namespace assay::statistics {

// The times of n iterations and of 2n in one round, measured in turn; both of one length, in seconds.
struct PairedTimes {
  std::vector<double> once_s, twice_s;
};

struct FixedTime {
  double value = 0;  // s; below zero by chance, or where time grows faster than iterations
  ConfidenceInterval interval;
};

// The cost of a round is the median over its pairs, which single disturbed readings do not move. Over three rounds or more the estimate is the mean
// of rounds, with an interval by Student's t; over fewer it rests on single pairs. tick_s: the clock's tick, 0 if unknown. None with fewer than six
// pairs, or if a round has none.
[[nodiscard]] std::optional<FixedTime> fixed_cost(std::span<const PairedTimes> rounds, double tick_s,
                                                  double level = 0.95);

}  // namespace assay::statistics
