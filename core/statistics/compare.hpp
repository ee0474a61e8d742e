// SPDX-License-Identifier: Apache-2.0
//
// Two variants measured in pairs: is one better by more than matters?
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

// Ratio left/right over pairs (rounds, processes).
struct PairedRatio {
  std::size_t n = 0;
  double ratio = 1;  // exp(mean of ln(left/right))
  std::optional<Interval>
      interval;  // of the ratio, between_process, Student's t on logarithms; none below 3 pairs
  std::optional<Interval> sign_interval;  // of the median ratio, exact; none below 6 pairs
};

// left[i] and right[i] come from one round; all positive; same length, at least one.
[[nodiscard]] PairedRatio paired_ratio(std::span<const double> left, std::span<const double> right,
                                       double level = 0.95);

struct Comparison {
  PairedRatio ratio;
  Verdict verdict = Verdict::undecided;
  std::size_t pairs_needed =
      0;  // when undecided: further pairs that should suffice at the scatter seen; 0 if it can't be said
};

// theta > 0: the change that matters, as a share: limits are 1 + theta and 1 / (1 + theta), symmetric in
// logarithms. With higher_is_better, `better` means left > right. t and sign interval on different sides of a
// verdict give undecided. Fewer than three pairs: undecided.
[[nodiscard]] Comparison compare(std::span<const double> left, std::span<const double> right, double theta,
                                 bool higher_is_better, double level = 0.95);

// The verdict on any interval of a ratio, for example of two results that are not paired. Same limits.
[[nodiscard]] Verdict verdict_of(const Interval& ratio, double theta, bool higher_is_better);

}  // namespace assay::statistics
