// SPDX-License-Identifier: Apache-2.0
//
// Plain description of a series: nothing here assumes a distribution, and nothing is removed from the series.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace assay::statistics {

// Everything in the unit of the values.
struct Summary {
  std::size_t n = 0;
  double first = 0;
  double minimum = 0;
  double p5 = 0;
  double p25 = 0;
  double median = 0;
  double p75 = 0;
  double p95 = 0;
  std::optional<double> p99;  // only from 500 values on
  double maximum = 0;
  double mean = 0;
  double stdev = 0;  // n - 1 in the denominator; 0 for one value
  double mad = 0;    // median of |x - median|, not scaled
};

inline constexpr std::size_t kSmallestSeriesForP99 = 500;

// values: at least one, finite. O(n log n).
[[nodiscard]] Summary summarize(std::span<const double> values);

// The values in ascending order.
[[nodiscard]] std::vector<double> sorted(std::span<const double> values);

// Linear interpolation between the two order statistics next to position 1 + probability * (n - 1)
// (definition 7 of Hyndman and Fan 1996, the default of R and NumPy). ascending: at least one value;
// probability in [0, 1].
[[nodiscard]] double quantile_of_sorted(std::span<const double> ascending, double probability);

// All need at least one value and are O(n). The sum in mean() is compensated (Neumaier).
[[nodiscard]] double median(std::span<const double> values);
// The median of values that were rounded to multiples of `step` > 0: those within half a step of the plain one are
// taken to lie evenly there.
[[nodiscard]] double grouped_median(std::span<const double> values, double step);
[[nodiscard]] double mean(std::span<const double> values);
[[nodiscard]] double stdev(std::span<const double> values);
[[nodiscard]] double median_absolute_deviation(std::span<const double> values);

// The sum, compensated. 0 for no values.
[[nodiscard]] double sum(std::span<const double> values);

}  // namespace assay::statistics
