// SPDX-License-Identifier: Apache-2.0
//
// Work over time. Rates are never averaged: the estimate is the ratio of the totals.
#pragma once

#include "statistics/interval.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace assay::statistics {

struct Rate {
  double value = 0;  // sum(work) / sum(time)
  // None below 6 samples, or if they scatter so much that it has no end.
  std::optional<ConfidenceInterval> interval;
  std::size_t blocks = 0;
  std::size_t block_length = 1;     // samples
  double autocorrelation_time = 1;  // samples
};

// The same work in every sample. work > 0; seconds: at least one, all positive. The interval is that of the
// mean time, its ends divided into the work and swapped.
[[nodiscard]] Rate rate(double work_per_sample, std::span<const double> seconds, double level = 0.95);

}  // namespace assay::statistics
