// SPDX-License-Identifier: Apache-2.0
//
// Compares the two sides of a claim round by round, and their ratio or difference with the claim's limits.
#pragma once

#include "judge/claim.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace assay::judge {

struct SidesCompared {
  double measured = 0;                 // what is compared with the claim's limits
  std::optional<double> effect;        // left / right - 1; no value for a difference
  std::optional<ValueRange> interval;  // of `measured`, over rounds; no value below three rounds
  FindingVerdict verdict = FindingVerdict::undecided;
  std::size_t more_rounds = 0;  // that should decide it, if it is open; 0 if more than 1000
};

// left[i] and right[i] come from one round; at least one. A ratio is judged by logarithms, a difference by itself.
// level: of the interval.
[[nodiscard]] SidesCompared compare_sides(const Claim& claim, std::span<const double> left,
                                          std::span<const double> right, double theta, double level = 0.95);

// The same of observations, each of which counts: `left` and `right` are what each round may be with every value that was
// seen. Confirmed if all of them hold, else refuted.
[[nodiscard]] SidesCompared compare_observations(const Claim& claim, std::span<const ValueRange> left,
                                                 std::span<const ValueRange> right, double theta);

}  // namespace assay::judge
