// SPDX-License-Identifier: Apache-2.0
#include "statistics/autocorrelation.hpp"

#include "statistics/summary.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay::statistics {

namespace {

constexpr std::size_t kFewestForCorrelation = 8;
constexpr std::size_t kLongestSeries = 2048;

// Sum over i of x[i] * x[i + lag], over n.
double autocovariance(const std::vector<double>& centred, std::size_t lag) {
  double total = 0;
  for (std::size_t i = lag; i < centred.size(); ++i) total += centred[i] * centred[i - lag];
  return total / static_cast<double>(centred.size());
}

// n times the variance of the series' mean in the long run: autocovariance at 0 plus twice those at the lags
// that count.
double long_run_variance(const std::vector<double>& centred) {
  const std::size_t largest_lag = centred.size() / 4;
  const double variance = autocovariance(centred, 0);
  double total = -variance;
  // Geyer 1992: sums of neighbouring pairs (0, 1), (2, 3), … of a reversible chain are positive, so the first
  // that is not is noise.
  for (std::size_t lag = 0; lag <= largest_lag; lag += 2) {
    const double pair = (lag == 0 ? variance : autocovariance(centred, lag)) +
                        (lag + 1 <= largest_lag ? autocovariance(centred, lag + 1) : 0.0);
    if (pair <= 0) break;
    total += 2 * pair;
  }
  return total;
}

double integrated_time(std::vector<double> centred) {
  const double variance = autocovariance(centred, 0);
  if (centred.size() < kFewestForCorrelation || variance <= 0) return 1;
  const std::size_t block = (centred.size() + kLongestSeries - 1) / kLongestSeries;
  if (block > 1) {
    std::vector<double> means(centred.size() / block);
    for (std::size_t i = 0; i < means.size(); ++i) {
      means[i] = mean(std::span<const double>(centred).subspan(i * block, block));
    }
    centred = std::move(means);
  }
  return std::max(1.0, static_cast<double>(block) * long_run_variance(centred) / variance);
}

}  // namespace

double autocorrelation_time(std::span<const double> values) {
  if (values.size() < kFewestForCorrelation) return 1;
  const double centre = mean(values);
  std::vector<double> centred(values.begin(), values.end());
  for (double& value : centred) value -= centre;
  return integrated_time(std::move(centred));
}

double sign_autocorrelation_time(std::span<const double> values) {
  if (values.size() < kFewestForCorrelation) return 1;
  const double centre = median(values);
  std::vector<double> signs(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    signs[i] = values[i] > centre ? 1.0 : values[i] < centre ? -1.0 : 0.0;
  }
  return integrated_time(std::move(signs));
}

}  // namespace assay::statistics
