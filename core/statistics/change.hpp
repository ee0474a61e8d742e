// SPDX-License-Identifier: Apache-2.0
//
// Two variants measured in several rounds each: is one better by more than matters?
#pragma once

#include "statistics/interval.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace assay::statistics {

enum class ChangeVerdict {
  better,         // the whole interval is beyond theta on the good side
  worse,          // … on the bad side
  same,           // the whole interval is within theta
  changed_small,  // excludes no change, and is not beyond theta
  undecided,
};

// The ratio left/right.
struct Ratio {
  std::size_t n = 0;                           // pairs
  double ratio = 1;                            // of the geometric means
  std::optional<ConfidenceInterval> interval;  // between_process, Student's t on logarithms; none below 3
  double scatter = 0;                          // standard deviation of ln(left/right) of one pair
};

// left[i] and right[i] come from one round. All positive; both of one length, at least 1.
[[nodiscard]] Ratio paired_ratio(std::span<const double> left, std::span<const double> right,
                                 double level = 0.95);

// By how many standard errors the mean of `right` is above `factor` times that of `left` (Welch's statistic);
// infinite if there is no scatter. Each at least 1 value, independent.
[[nodiscard]] double standard_errors_above(double factor, std::span<const double> left,
                                           std::span<const double> right);

// theta > 0: the change that matters, as a share. The limits are 1 + theta and 1 / (1 + theta), symmetric in
// logarithms. With higher_is_better, `better` means left > right.
[[nodiscard]] ChangeVerdict verdict_of(const ConfidenceInterval& ratio, double theta, bool higher_is_better);

// How many more rounds should narrow an interval over n rounds until it ends before a limit at `distance` > 0 from its
// middle. `scatter` is the standard deviation of one round's logarithm or value. 0 if more than 1000 are needed.
[[nodiscard]] std::size_t further_rounds(std::size_t n, double scatter, double distance, double level = 0.95);

// The scatter with which an interval over n >= 2 rounds has this half-width.
[[nodiscard]] double scatter_of(double half_width, std::size_t n, double level = 0.95);

}  // namespace assay::statistics
