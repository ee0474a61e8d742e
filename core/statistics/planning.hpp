// SPDX-License-Identifier: Apache-2.0
//
// What rounds can show, before they are run and after they were looked at.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace assay::statistics {

// The share of runs in which a real effect is shown: its 95 % interval ends before the limit.
inline constexpr double kPower = 0.8;

// Standard deviations of the logarithm of a value, so shares of it, nested: of the value of one round from round to round of a run, and
// of the mean of a run from run to run beyond what its rounds explain.
struct Components {
  double of_a_round = 0;
  double round_freedom = 0;  // degrees of freedom of it; 0: not known
  double of_samples =
      0;  // the part of `of_a_round` that the samples of a round explain: longer rounds have less
  std::optional<double> of_runs;  // not known from one run
};
// runs: ln of the value of each round, a run at a time, at least one; samples: the variance that the samples within
// one round explain of its value, 0 if it is not known.
[[nodiscard]] Components variance_components(std::span<const std::vector<double>> runs, double samples);

// The chance that the 95 % interval (Student's t) of the mean over this many rounds ends before something that lies `distance` > 0 from
// the truth: exactly, by the noncentral t distribution. scatter: standard deviation of one round; rounds: at least 2.
[[nodiscard]] double power_of(double scatter, double distance, std::size_t rounds);
// The fewest rounds whose power is kPower or more, from kFewestProcessesForInterval to 1000; none if that takes more.
[[nodiscard]] std::optional<std::size_t> rounds_to_see(double scatter, double distance);
// The distance that this many rounds, at least 2, show with a power of kPower.
[[nodiscard]] double smallest_distance_seen(double scatter, std::size_t rounds);

// The level of the interval that decides after an open verdict was given more rounds this many times: 95 % at first, then 97.5 %, 98.75 %, …
// A limit has one wrong side, which such intervals miss in 2.5 %, 1.25 %, 0.625 %, … of looks: in 5 % of runs at most, however often they
// are extended (the sum of all looks bounds it; spending of alpha, Lan and DeMets 1983).
[[nodiscard]] double level_after_looks(int looks);
// How many rounds a case has after it was extended once more: a rule that does not know what was seen, because a number that is chosen by
// what was seen would undo the level (Proschan and Hunsberger 1995). rounds: at least 1.
[[nodiscard]] int extended_rounds(int rounds);

}  // namespace assay::statistics
