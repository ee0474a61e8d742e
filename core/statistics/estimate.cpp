// SPDX-License-Identifier: Apache-2.0
#include "statistics/estimate.hpp"

#include "statistics/autocorrelation.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>

namespace assay::statistics {

const char* to_string(Statistic statistic) { return statistic == Statistic::median ? "median" : "mean"; }

Interval widened_to_timing_accuracy(Interval interval, double value) {
  const double margin = kTimingAccuracy * std::abs(value);
  interval.low = std::min(interval.low, value - margin);
  interval.high = std::max(interval.high, value + margin);
  return interval;
}

Estimate estimate(std::span<const double> values, Statistic statistic, double tick, double level) {
  Estimate result;
  result.statistic =
      statistic == Statistic::median && is_quantised(values, tick) ? Statistic::mean : statistic;
  if (result.statistic == Statistic::median) {
    result.value = median(values);
    result.interval = median_interval(values, level);
    result.autocorrelation_time = sign_autocorrelation_time(values);
  } else {
    const BlockMean block = block_mean(values, level);
    result.value = block.mean;
    result.interval = block.interval;
    result.autocorrelation_time = block.autocorrelation_time;
  }
  result.effective_samples = static_cast<double>(values.size()) / result.autocorrelation_time;
  if (result.interval) result.interval = widened_to_timing_accuracy(*result.interval, result.value);
  return result;
}

}  // namespace assay::statistics
