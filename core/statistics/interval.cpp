// SPDX-License-Identifier: Apache-2.0
#include "statistics/interval.hpp"

#include "statistics/autocorrelation.hpp"
#include "statistics/distribution.hpp"
#include "statistics/long_run.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::statistics {

namespace {

constexpr std::size_t kFewDistinctValues = 20;
constexpr std::size_t kSmallestSeriesForQuantised = 50;
constexpr std::size_t kStretches = 50;

double two_sided_t(double level, double degrees_of_freedom) {
  return student_t_quantile(0.5 + level / 2, degrees_of_freedom);
}

// Between neighbouring order statistics, for a rank from 1 to n that need not be whole.
double at_rank(const std::vector<double>& ascending, double rank) {
  const double n = static_cast<double>(ascending.size());
  return quantile_of_sorted(ascending, (std::clamp(rank, 1.0, n) - 1) / (n - 1));
}

// From the least to the largest median of up to kStretches equal stretches. Where a series is so slow that
// its samples cannot bound its median, its level can: a single outlier is not where the median is.
ConfidenceInterval range_of_levels(std::span<const double> values, double level) {
  const std::size_t count = std::min(values.size(), kStretches);
  ConfidenceInterval range{0, 0, level, IntervalKind::within_process};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = values.size() * i / count, end = values.size() * (i + 1) / count;
    const double centre = median(values.subspan(begin, end - begin));
    range.low = i == 0 ? centre : std::min(range.low, centre);
    range.high = i == 0 ? centre : std::max(range.high, centre);
  }
  return range;
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value = std::log(value);
  return result;
}

}  // namespace

std::optional<ConfidenceInterval> median_interval(std::span<const double> values, double level) {
  if (values.size() < kSmallestSeriesForInterval) return std::nullopt;
  const double n = static_cast<double>(values.size());
  const std::vector<double> ascending = sorted(values);
  const double centre = quantile_of_sorted(ascending, 0.5);
  std::vector<double> signs(values.begin(), values.end());
  for (double& value : signs) value = value > centre ? 1.0 : value < centre ? -1.0 : 0.0;
  // Of n independent samples, the number below the true median has variance n / 4; correlated ones have that
  // of their signs.
  const LongRun run = long_run(signs);
  const double variance = std::max(1.0, run.variance);
  const double half_width = two_sided_t(level, run.degrees_of_freedom) * std::sqrt(n * variance) / 2;
  if (half_width >= (n - 1) / 2) return range_of_levels(values, level);
  return ConfidenceInterval{at_rank(ascending, (n + 1) / 2 - half_width),
                            at_rank(ascending, (n + 1) / 2 + half_width), level,
                            IntervalKind::within_process};
}

BlockMean block_mean(std::span<const double> values, double level) {
  BlockMean result;
  result.mean = mean(values);
  if (values.size() < kSmallestSeriesForInterval) return result;
  const LongRun run = long_run(values);
  result.block_length = run.block_length;
  result.blocks = run.blocks;
  result.autocorrelation_time = run.autocorrelation_time;
  const double error = std::sqrt(run.variance / static_cast<double>(values.size()));
  const double t = two_sided_t(level, run.degrees_of_freedom);
  // Johnson 1978: a mean of skewed values is likelier to have missed the long tail than to have seen too much
  // of it. Its side of the interval is widened; the other is left as it is, since the skewness is an
  // estimate, too.
  const double shift = run.skewness * (1 + 2 * t * t) / 6;
  result.interval = ConfidenceInterval{result.mean - error * (t + std::max(0.0, -shift)),
                                       result.mean + error * (t + std::max(0.0, shift)), level,
                                       IntervalKind::within_process};
  return result;
}

bool is_quantised(std::span<const double> values, double tick) {
  if (values.size() < 2) return false;
  if (tick > 0 && median_absolute_deviation(values) < tick) return true;
  if (values.size() < kSmallestSeriesForQuantised) return false;
  std::vector<double> distinct;
  for (const double value : values) {
    if (std::find(distinct.begin(), distinct.end(), value) != distinct.end()) continue;
    if (distinct.size() == kFewDistinctValues) return false;
    distinct.push_back(value);
  }
  return true;
}

double geometric_mean(std::span<const double> values) { return std::exp(mean(logarithms(values))); }

std::optional<ConfidenceInterval> mean_interval(std::span<const double> values, double level) {
  const std::size_t k = values.size();
  if (k < kFewestProcessesForInterval) return std::nullopt;
  const double centre = mean(values);
  const double half_width =
      two_sided_t(level, static_cast<double>(k - 1)) * stdev(values) / std::sqrt(static_cast<double>(k));
  return ConfidenceInterval{centre - half_width, centre + half_width, level, IntervalKind::between_process};
}

std::optional<ConfidenceInterval> between_process_interval(std::span<const double> process_estimates,
                                                           double level) {
  std::optional<ConfidenceInterval> interval = mean_interval(logarithms(process_estimates), level);
  if (interval) interval->low = std::exp(interval->low);
  if (interval) interval->high = std::exp(interval->high);
  return interval;
}

}  // namespace assay::statistics
