// SPDX-License-Identifier: Apache-2.0
//
// What the error of a mean of correlated samples is made of: the one estimator behind every interval within a
// process.
#pragma once

#include <cstddef>
#include <span>

namespace assay::statistics {

// From the means of consecutive blocks. A block is at least twice the correlation time found in the series,
// and long enough that there are at most 20 (so that slow swings under much fast noise are seen), but there
// are at least 4. What correlation neighbouring blocks have left widens the estimate and costs degrees of
// freedom.
struct LongRun {
  double variance = 0;            // n times the variance of the mean of n samples, for large n
  double degrees_of_freedom = 1;  // of that estimate
  double skewness = 0;            // of the mean of these n samples, at most 0.6 either way
  double autocorrelation_time = 1;
  std::size_t block_length = 1;  // samples
  std::size_t blocks = 0;
};

// values: at least 4.
[[nodiscard]] LongRun long_run(std::span<const double> values);

}  // namespace assay::statistics
