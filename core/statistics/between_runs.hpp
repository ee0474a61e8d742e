// SPDX-License-Identifier: Apache-2.0
//
// Compares two sides of one or more runs each: did the value change, by how much, and which change could have been detected? Runs of the same
// work differ by more than the rounds of one run do, so no estimate here rests on the rounds of one run alone.
#pragma once

#include "statistics/interval.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace assay::statistics {

// The values of one row on one side, as logarithms.
struct SideMean {
  double mean = 0;            // of the runs' means
  std::size_t runs = 0;       // at least 1
  double squares = 0;         // of the runs' means from their mean, summed
  double within = 0;          // variance of `mean` from the scatter of rounds within runs
  double within_freedom = 0;  // degrees of freedom of that; 0: no run has two rounds
};
// runs: for each run ln of each round's value; at least one run, each with at least one round.
[[nodiscard]] SideMean side_mean(std::span<const std::vector<double>> runs);

// A variance with its degrees of freedom; infinite if the variance is taken as known.
struct Variance {
  double value = 0;
  double freedom = 0;
};

// The variance of a run's mean, from runs of the same work on either side. None if neither side has two runs.
[[nodiscard]] std::optional<Variance> variance_of_runs(const SideMean& before, const SideMean& after);

// The prior of the variances of many rows (Smyth 2004): the usual variance, and the degrees of freedom with which it is weighed against a row's
// own; infinite where the rows' variances differ by no more than chance. Needs at least two rows with about the same degrees of freedom.
[[nodiscard]] Variance usual_variance(std::span<const Variance> rows);
// A row's own variance, moderated by the usual one. If the prior has 3 degrees of freedom or more, the two are averaged; otherwise the usual
// variance only raises an own one that is small by chance.
[[nodiscard]] Variance moderated(const Variance& own, const Variance& usual);

// ln(after / before), with its standard error.
struct Change {
  double shift = 0;
  double error = 0;     // standard error, never below what clocks are known to
  double freedom = 0;   // degrees of freedom of it
  double of_a_run = 0;  // standard deviation of one run's mean
};
// The change, where enough runs show how runs differ: `of_runs` is variance_of_runs(), or moderated().
[[nodiscard]] Change change_by_history(const SideMean& before, const SideMean& after,
                                       const Variance& of_runs);
// The variance of ln(after / before) in one round, from rounds in which both sides were measured in turn. None for fewer than two.
[[nodiscard]] std::optional<Variance> variance_of_rounds(std::span<const double> ratios);
// With both sides measured in turn in each round: what the rounds share cancels out. `of_a_round` is variance_of_rounds(), or moderated();
// `of_a_run` of the change is that of a side's round.
[[nodiscard]] Change change_by_rounds(std::span<const double> ratios, const Variance& of_a_round);
// With the standard deviation between runs taken as known: the rounds give the rest (Welch-Satterthwaite). A side without two rounds in
// any run adds nothing to it.
[[nodiscard]] Change change_by_prior(const SideMean& before, const SideMean& after, double between_runs);

// The interval of the ratio after / before, by Student's t on logarithms.
[[nodiscard]] ConfidenceInterval interval_of(const Change& change, double level);
// The probability of a change at least this large if the true one is at most theta in either direction.
[[nodiscard]] double p_of_change_beyond(const Change& change, double theta);
// The change is shown to be within theta: the 90 % interval lies there (two one-sided tests, Schuirmann 1987).
[[nodiscard]] bool is_equivalent(const Change& change, double theta);
// Which of these hold with a false discovery rate of q (Benjamini and Hochberg 1995).
[[nodiscard]] std::vector<bool> discoveries(std::span<const double> p, double q);

// The median of the means of all pairs (Hodges and Lehmann 1963), of at least one value; many are thinned to 400 first.
[[nodiscard]] double hodges_lehmann(std::span<const double> values);

// The smallest change that is found beyond theta in 80 of 100 cases, as a share.
[[nodiscard]] double smallest_change_seen(const Change& change, double theta);
// How many runs a side detect a change of this share in 80 of 100 cases, with a 95 % interval. Nothing if 1000 are not enough.
[[nodiscard]] std::optional<std::size_t> runs_a_side_for(double of_a_run, double change);
// How many runs a side should show on which side of theta this change lies. Nothing if 1000 are not enough.
[[nodiscard]] std::optional<std::size_t> runs_a_side_to_decide(const Change& change, double theta);

}  // namespace assay::statistics
