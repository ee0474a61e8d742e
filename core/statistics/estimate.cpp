// SPDX-License-Identifier: Apache-2.0
#include "statistics/estimate.hpp"

#include "statistics/autocorrelation.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::statistics {

namespace {

// Of a clock that rounds: its tick, or if that is unknown the smallest difference that was seen.
double step_of(std::span<const double> values, double tick) {
  if (tick > 0) return tick;
  const std::vector<double> ascending = sorted(values);
  double least = 0;
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    const double gap = ascending[i] - ascending[i - 1];
    if (gap > 0 && (least == 0 || gap < least)) least = gap;
  }
  return least;
}

}  // namespace

const char* to_string(Statistic statistic) { return statistic == Statistic::median ? "median" : "mean"; }

ConfidenceInterval widened_to_timing_accuracy(ConfidenceInterval interval, double value) {
  const double margin = kTimingAccuracy * std::abs(value);
  interval.low = std::min(interval.low, value - margin);
  interval.high = std::max(interval.high, value + margin);
  return interval;
}

SampleEstimate estimate(std::span<const double> values, Statistic statistic, double tick, double level) {
  SampleEstimate result;
  if (statistic == Statistic::median) {
    const double step = is_quantised(values, tick) ? step_of(values, tick) : 0;
    result.value = step > 0 ? grouped_median(values, step) : median(values);
    result.interval = median_interval(values, level);
    if (result.interval) {
      result.interval->low -= step / 2;
      result.interval->high += step / 2;
    }
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
