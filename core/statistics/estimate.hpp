// SPDX-License-Identifier: Apache-2.0
//
// The headline of one process: which statistic, its value, its interval.
#pragma once

#include "statistics/interval.hpp"

#include <optional>
#include <span>

namespace assay::statistics {

enum class Statistic {
  median,  // latencies
  mean,    // costs that add up: rates, sustained work
};

[[nodiscard]] const char* to_string(Statistic statistic);

// No interval of a time or rate within one process is narrower than this share of its value either side:
// device clocks agree with known delays to 0.01 to 0.05 % only, and a host's steady clock may be slewed by
// 500 ppm.
inline constexpr double kTimingAccuracy = 0.0005;

struct SampleEstimate {
  double value = 0;
  std::optional<ConfidenceInterval> interval;  // within_process; none below 6 samples
  double autocorrelation_time = 1;             // samples
  double effective_samples = 0;                // n / autocorrelation_time
};

// The median of values that show the clock's tick is the grouped one, and its interval half a tick longer at both
// ends. values: durations, at least one, finite; tick in their unit, 0 if unknown.
[[nodiscard]] SampleEstimate estimate(std::span<const double> values, Statistic statistic, double tick,
                                      double level = 0.95);

// The interval, its ends moved out to value * (1 -+ kTimingAccuracy) where they are nearer.
[[nodiscard]] ConfidenceInterval widened_to_timing_accuracy(ConfidenceInterval interval, double value);

}  // namespace assay::statistics
