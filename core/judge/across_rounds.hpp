// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"

#include <optional>
#include <vector>

namespace assay::judge {

// One round's statistic and what it was made of.
struct RoundValue {
  double value = 0;
  std::optional<ValueRange> interval;  // within the process
  std::string no_interval;             // why there is none, a code
  std::size_t n = 0;                   // samples; 0 for recorded values
  double autocorrelation_time = 1;
  std::vector<double> samples;  // in the metric's unit; empty for recorded values
};

// Sets value, n, rounds, interval or why there is none, between_process and verdict_interval from at least one
// round.
// Three or more: geometric mean and t interval on logarithms (arithmetic where a value is not positive), for the
// verdict at `level`, which is 95 % or more.
// Fewer: the hull of the rounds' intervals, for the verdict widened on both sides by `allowance` times the
// value. Too few samples for an interval leave it out; the verdict then relies on the range of the samples.
// Fewer than three rounds and than kFewestSamplesForVerdict samples of a measurement decide nothing closer than
// kPriorFactor. Values that are the same in all rounds are exact, but what Assay's clock measured is never known
// better than the clock.
void across_rounds(const std::vector<RoundValue>& rounds, double allowance, double level,
                   MetricResult& metric);

}  // namespace assay::judge
