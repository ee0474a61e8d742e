// SPDX-License-Identifier: Apache-2.0
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>

namespace assay::statistics {

namespace {

// The median of a scratch copy, which it reorders.
double median_in_place(std::vector<double>& values) {
  const std::size_t n = values.size();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (n % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  const double between = below + (*middle - below) / 2;
  return std::isfinite(between) ? between : below / 2 + *middle / 2;
}

}  // namespace

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

double quantile_of_sorted(std::span<const double> ascending, double probability) {
  const double position = probability * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= ascending.size()) return ascending.back();
  const double share = position - static_cast<double>(below);
  const double between = ascending[below] + share * (ascending[below + 1] - ascending[below]);
  return std::isfinite(between) ? between : (1 - share) * ascending[below] + share * ascending[below + 1];
}

double median(std::span<const double> values) {
  std::vector<double> scratch(values.begin(), values.end());
  return median_in_place(scratch);
}

double grouped_median(std::span<const double> values, double step) {
  std::vector<double> scratch(values.begin(), values.end());
  const auto middle = scratch.begin() + static_cast<std::ptrdiff_t>((scratch.size() - 1) / 2);
  std::nth_element(scratch.begin(), middle, scratch.end());
  const double bottom = *middle - step / 2;
  double below = 0, within = 0;
  for (const double value : values) {
    below += value < bottom;
    within += value >= bottom && value < bottom + step;
  }
  // From the middle of the group, so that values which are all alike give that value exactly, and zeros zero.
  return *middle + step * ((static_cast<double>(values.size()) / 2 - below) / within - 0.5);
}

double sum(std::span<const double> values) {
  double total = 0;
  double lost = 0;
  for (const double value : values) {
    const double next = total + value;
    lost += std::abs(total) >= std::abs(value) ? (total - next) + value : (value - next) + total;
    total = next;
  }
  return total + lost;
}

// Where the sum is too large for a number the mean is not.
double mean(std::span<const double> values) {
  const double n = static_cast<double>(values.size()), total = sum(values);
  if (std::isfinite(total)) return total / n;
  double result = 0;
  for (const double value : values) result += value / n;
  return result;
}

double stdev(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  if (std::isinf(squares)) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::fabs(value));
    if (!std::isfinite(largest)) return squares;
    std::vector<double> shares;
    for (const double value : values) shares.push_back(value / largest);
    return largest * stdev(shares);
  }
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double median_absolute_deviation(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> distances(values.begin(), values.end());
  for (double& distance : distances) distance = std::abs(distance - centre);
  return median_in_place(distances);
}

Summary summarize(std::span<const double> values) {
  const std::vector<double> ascending = sorted(values);
  Summary summary;
  summary.n = values.size();
  summary.first = values.front();
  summary.minimum = ascending.front();
  summary.p5 = quantile_of_sorted(ascending, 0.05);
  summary.p25 = quantile_of_sorted(ascending, 0.25);
  summary.median = quantile_of_sorted(ascending, 0.5);
  summary.p75 = quantile_of_sorted(ascending, 0.75);
  summary.p95 = quantile_of_sorted(ascending, 0.95);
  if (values.size() >= kSmallestSeriesForP99) summary.p99 = quantile_of_sorted(ascending, 0.99);
  summary.maximum = ascending.back();
  summary.mean = mean(values);
  summary.stdev = stdev(values);
  summary.mad = median_absolute_deviation(values);
  return summary;
}

}  // namespace assay::statistics
