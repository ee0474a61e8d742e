// SPDX-License-Identifier: Apache-2.0
//
// Two variants measured in several rounds each: is one better by more than matters?
#pragma once

#include "statistics/interval.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace assay::statistics {

enum class Verdict {
  better,         // the whole interval is beyond theta on the good side
  worse,          // … on the bad side
  same,           // the whole interval is within theta
  changed_small,  // excludes no change, and is not beyond theta
  undecided,
};

[[nodiscard]] const char* to_string(Verdict verdict);

// The ratio left/right.
struct Ratio {
  std::size_t n = 0;                 // pairs; the smaller number of rounds if not paired
  double ratio = 1;                  // of the geometric means
  std::optional<Interval> interval;  // between_process, Student's t on logarithms; none below 3
  std::optional<Interval>
      sign_interval;   // of the median ratio, exact, at least the level asked for; pairs only, none below 6
  double scatter = 0;  // standard deviation of ln(left/right) of one pair
};

// left[i] and right[i] come from one round. All positive; both of one length, at least 1.
[[nodiscard]] Ratio paired_ratio(std::span<const double> left, std::span<const double> right,
                                 double level = 0.95);

// Rounds that do not belong together (another day's result): Welch's t. All positive; each at least 1.
[[nodiscard]] Ratio unpaired_ratio(std::span<const double> left, std::span<const double> right,
                                   double level = 0.95);

// By how many standard errors the mean of `right` is above `factor` times that of `left` (Welch's statistic);
// infinite if there is no scatter. Each at least 1 value, independent.
[[nodiscard]] double standard_errors_above(double factor, std::span<const double> left,
                                           std::span<const double> right);

// theta > 0: the change that matters, as a share. The limits are 1 + theta and 1 / (1 + theta), symmetric in
// logarithms. With higher_is_better, `better` means left > right.
[[nodiscard]] Verdict verdict_of(const Interval& ratio, double theta, bool higher_is_better);

struct Comparison {
  Ratio ratio;
  Verdict verdict = Verdict::undecided;
  std::size_t rounds_needed =
      0;  // when undecided: further ones that should suffice at the scatter seen; 0 if over 1000
};

// Fewer than three rounds: undecided. So is a verdict that the sign interval, where there is one,
// contradicts: better or worse, but it does not exclude "no change" on that side; same or changed_small, but
// it does not even overlap.
[[nodiscard]] Comparison compare(const Ratio& ratio, double theta, bool higher_is_better);

// The same for pairs: compare(paired_ratio(left, right, level), …).
[[nodiscard]] Comparison compare(std::span<const double> left, std::span<const double> right, double theta,
                                 bool higher_is_better, double level = 0.95);

}  // namespace assay::statistics
