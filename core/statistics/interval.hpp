// SPDX-License-Identifier: Apache-2.0
//
// Confidence intervals that stay honest when samples are correlated, skewed or quantised.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace assay::statistics {

enum class IntervalKind {
  within_process,   // says nothing about what another process would measure
  between_process,  // includes run-to-run variation
};

struct ConfidenceInterval {
  double low = 0;
  double high = 0;
  double level = 0.95;
  IntervalKind kind = IntervalKind::within_process;

  [[nodiscard]] double half_width() const { return (high - low) / 2; }
  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
};

// Fewer samples than this give no interval.
inline constexpr std::size_t kSmallestSeriesForInterval = 6;
// Fewer processes than this give no interval.
inline constexpr std::size_t kFewestProcessesForInterval = 3;

// Of the median, from order statistics, the ranks widened by the square root of the sign series'
// autocorrelation time. Where they run out of samples on either side, which few independent ones among many
// do, it goes from the least to the largest median of 50 stretches. None below 6 samples.
[[nodiscard]] std::optional<ConfidenceInterval> median_interval(std::span<const double> values,
                                                                double level = 0.95);

// A mean with what its interval was made of.
struct BlockMean {
  double mean = 0;
  std::optional<ConfidenceInterval> interval;  // none below 6 samples
  std::size_t block_length =
      1;  // samples in a block, no shorter than the correlation time found in the series
  std::size_t blocks = 0;
  double autocorrelation_time = 1;  // samples
};

// Of the mean, from the means of consecutive blocks and Student's t. values: at least one.
[[nodiscard]] BlockMean block_mean(std::span<const double> values, double level = 0.95);

// Few distinct values (at most 20 among at least 50), or a spread (MAD) below the clock's tick: the middle one of
// them then says where a tick is, not where the median is. tick in the unit of the values, 0 if unknown.
[[nodiscard]] bool is_quantised(std::span<const double> values, double tick);

// Of the mean of one value per process: Student's t. None below 3.
[[nodiscard]] std::optional<ConfidenceInterval> mean_interval(std::span<const double> values,
                                                              double level = 0.95);

// Of the geometric mean of one positive estimate per process: t on logarithms, back-transformed. None
// below 3.
[[nodiscard]] std::optional<ConfidenceInterval> between_process_interval(
    std::span<const double> process_estimates, double level = 0.95);

// exp(mean of logarithms): the estimate that between_process_interval belongs to. At least one, all positive.
[[nodiscard]] double geometric_mean(std::span<const double> values);

}  // namespace assay::statistics
