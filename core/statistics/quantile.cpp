// SPDX-License-Identifier: Apache-2.0
#include "statistics/quantile.hpp"

#include "statistics/autocorrelation.hpp"
#include "statistics/distribution.hpp"
#include "statistics/interval.hpp"
#include "statistics/long_run.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>

namespace assay::statistics {

namespace {

constexpr double kMissed = 0.05;  // the chance that what lies beyond a bound was never seen

std::vector<double> indicator(const std::vector<double>& values, double quantile) {
  std::vector<double> beyond(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) beyond[i] = values[i] > quantile ? 1 : 0;
  return beyond;
}

// Half the width of the interval of the share of values up to the quantile.
double half_width_of_share(const std::vector<std::vector<double>>& rounds, double quantile,
                           double probability, double level) {
  const auto t = [level](double degrees) { return student_t_quantile(0.5 + level / 2, degrees); };
  std::vector<double> beyond;
  for (const std::vector<double>& round : rounds)
    for (const double each : indicator(round, quantile)) beyond.push_back(each);
  const double n = static_cast<double>(beyond.size()), least = probability * (1 - probability);
  if (rounds.size() >= kFewestProcessesForInterval) {
    std::vector<double> shares;
    for (const std::vector<double>& round : rounds) shares.push_back(mean(indicator(round, quantile)));
    const double k = static_cast<double>(rounds.size());
    // Only a few values of a round lie in its tail, and by chance: rounds tell no more of a tail than independent values do.
    return std::max(t(k - 1) * stdev(shares) / std::sqrt(k), t(n - 1) * std::sqrt(least / n));
  }
  if (beyond.size() < kSmallestSeriesForInterval) return 1;
  const LongRun run = long_run(beyond);
  return t(run.degrees_of_freedom) * std::sqrt(std::max(run.variance, least) / n);
}

}  // namespace

std::size_t fewest_for_upper_bound(double probability) {
  return static_cast<std::size_t>(std::ceil(std::log(kMissed) / std::log(probability)));
}

Quantile quantile_over_rounds(const std::vector<std::vector<double>>& rounds, double probability,
                              double level) {
  std::vector<double> all;
  for (const std::vector<double>& round : rounds) all.insert(all.end(), round.begin(), round.end());
  std::sort(all.begin(), all.end());
  Quantile result;
  result.n = all.size();
  result.value = quantile_of_sorted(all, probability);
  for (const std::vector<double>& round : rounds)
    result.effective +=
        static_cast<double>(round.size()) / autocorrelation_time(indicator(round, result.value));
  const double n = static_cast<double>(all.size());
  const double half = half_width_of_share(rounds, result.value, probability, level);
  const double low = std::floor(n * (probability - half)), high = std::ceil(n * (probability + half)) + 1;
  const auto enough = [&](double p) {
    return result.effective >= static_cast<double>(fewest_for_upper_bound(p));
  };
  if (low >= 1 && enough(1 - probability))
    result.low = std::min(result.value, all[static_cast<std::size_t>(low) - 1]);
  if (high <= n && enough(probability))
    result.high = std::max(result.value, all[static_cast<std::size_t>(high) - 1]);
  return result;
}

}  // namespace assay::statistics
