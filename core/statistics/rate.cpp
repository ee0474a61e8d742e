// SPDX-License-Identifier: Apache-2.0
#include "statistics/rate.hpp"

#include "statistics/estimate.hpp"
#include "statistics/summary.hpp"

#include <vector>

namespace assay::statistics {

Rate rate(double work_per_sample, std::span<const double> seconds, double level) {
  const BlockMean time = block_mean(seconds, level);
  Rate result;
  result.value = work_per_sample / time.mean;
  result.blocks = time.blocks;
  result.block_length = time.block_length;
  result.autocorrelation_time = time.autocorrelation_time;
  if (time.interval && time.interval->low > 0) {
    result.interval = widened_to_timing_accuracy(
        {work_per_sample / time.interval->high, work_per_sample / time.interval->low, level,
         IntervalKind::within_process},
        result.value);
  }
  return result;
}

Rate rate(std::span<const double> work, std::span<const double> seconds, double level) {
  Rate result;
  result.value = sum(work) / sum(seconds);
  std::vector<double> residuals(work.size());
  for (std::size_t i = 0; i < work.size(); ++i) residuals[i] = work[i] - result.value * seconds[i];
  const BlockMean residual = block_mean(residuals, level);
  result.blocks = residual.blocks;
  result.block_length = residual.block_length;
  result.autocorrelation_time = residual.autocorrelation_time;
  if (residual.interval) {
    const double mean_seconds = mean(seconds);
    result.interval = widened_to_timing_accuracy(
        {result.value + residual.interval->low / mean_seconds,
         result.value + residual.interval->high / mean_seconds, level, IntervalKind::within_process},
        result.value);
  }
  return result;
}

}  // namespace assay::statistics
