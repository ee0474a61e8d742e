// SPDX-License-Identifier: Apache-2.0
#include "statistics/band.hpp"

#include "statistics/distribution.hpp"
#include "statistics/estimate.hpp"
#include "statistics/summary.hpp"

#include <boost/math/distributions/non_central_t.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay::statistics {

Chance among_peers(std::span<const double> others, double probability) {
  const double n = static_cast<double>(others.size());
  // Two clocks may agree by luck, and are known to kTimingAccuracy, the end of a 95 % interval.
  const double deviation = std::max(stdev(others), kTimingAccuracy / 2);
  // A median's variance is at most pi/2 times that of a mean.
  return {median(others),
          student_t_quantile(1 - probability, n - 1) * deviation * std::sqrt(1 + std::numbers::pi / 2 / n)};
}

double band_factor(std::size_t m, double probability) {
  const double n = static_cast<double>(m);
  if (m < kFewestForTolerance) return student_t_quantile(1 - probability, n - 1) * std::sqrt(1 + 1 / n);
  const boost::math::non_central_t_distribution<double> t(n - 1,
                                                          normal_quantile(1 - probability) * std::sqrt(n));
  return boost::math::quantile(t, 0.95) / std::sqrt(n);
}

}  // namespace assay::statistics
