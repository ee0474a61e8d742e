// SPDX-License-Identifier: Apache-2.0
#include "statistics/change.hpp"

#include "statistics/distribution.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::statistics {

namespace {

constexpr std::size_t kMostRounds = 1000;

double t_of(double level, double degrees_of_freedom) {
  return student_t_quantile(0.5 + level / 2, degrees_of_freedom);
}

}  // namespace

Ratio paired_ratio(std::span<const double> left, std::span<const double> right, double level) {
  std::vector<double> ratios(left.size()), logs(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    ratios[i] = left[i] / right[i];
    logs[i] = std::log(ratios[i]);
  }
  return {ratios.size(), std::exp(mean(logs)), between_process_interval(ratios, level), stdev(logs)};
}

double standard_errors_above(double factor, std::span<const double> left, std::span<const double> right) {
  const auto variance_of_mean = [](std::span<const double> values) {
    return std::pow(stdev(values), 2) / static_cast<double>(values.size());
  };
  const double error = std::sqrt(variance_of_mean(right) + factor * factor * variance_of_mean(left));
  const double above = mean(right) - factor * mean(left);
  return error > 0 ? above / error : std::copysign(HUGE_VAL, above);
}

ChangeVerdict verdict_of(const ConfidenceInterval& ratio, double theta, bool higher_is_better) {
  const double up = 1 + theta;
  const double down = 1 / up;
  if (ratio.low > up) return higher_is_better ? ChangeVerdict::better : ChangeVerdict::worse;
  if (ratio.high < down) return higher_is_better ? ChangeVerdict::worse : ChangeVerdict::better;
  if (ratio.low >= down && ratio.high <= up) return ChangeVerdict::same;
  if (ratio.low > 1 || ratio.high < 1) return ChangeVerdict::changed_small;
  return ChangeVerdict::undecided;
}

std::size_t further_rounds(std::size_t n, double scatter, double distance, double level) {
  if (n < 2) return kFewestProcessesForInterval - n;
  // Student's t is wider than the normal, so no fewer than that says.
  const double at_least = std::pow(normal_quantile(0.5 + level / 2) * scatter / distance, 2);
  if (!(at_least < static_cast<double>(kMostRounds))) return 0;
  std::size_t all = std::max({n + 1, kFewestProcessesForInterval, static_cast<std::size_t>(at_least)});
  const auto half_width = [&](double k) { return t_of(level, k - 1) * scatter / std::sqrt(k); };
  while (all <= kMostRounds && half_width(static_cast<double>(all)) >= distance) ++all;
  return all <= kMostRounds ? all - n : 0;
}

double scatter_of(double half_width, std::size_t n, double level) {
  return half_width * std::sqrt(static_cast<double>(n)) / t_of(level, static_cast<double>(n - 1));
}

}  // namespace assay::statistics
