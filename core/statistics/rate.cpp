// SPDX-License-Identifier: Apache-2.0
#include "statistics/rate.hpp"

#include "statistics/estimate.hpp"

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

}  // namespace assay::statistics
