// SPDX-License-Identifier: Apache-2.0
//
// Two sides of one or more runs each: did it change from one to the other, by how much, and what could have been seen? Runs of the same
// thing differ by more than their rounds do, so nothing here takes the rounds of one run for all that varies.
#pragma once

#include "statistics/interval.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace assay::statistics {

// What one side says of one row; everything in logarithms of the value.
struct SideMean {
  double mean = 0;            // of the runs' means
  std::size_t runs = 0;       // at least 1
  double squares = 0;         // of the runs' means from their mean, summed
  double within = 0;          // variance of `mean` from the scatter of rounds within runs
  double within_freedom = 0;  // degrees of freedom of that; 0: no run has two rounds
};
// runs: ln of each round's value, a run at a time; at least one run, each with a round.
[[nodiscard]] SideMean side_mean(std::span<const std::vector<double>> runs);

// A variance that was estimated, and how well. Infinite degrees of freedom: it is taken as known.
struct Variance {
  double value = 0;
  double freedom = 0;
};

// Of the mean of a run, from runs of the same thing on either side. None if neither side has two runs.
[[nodiscard]] std::optional<Variance> variance_of_runs(const SideMean& before, const SideMean& after);

// What the variances of many rows have in common (Smyth 2004): the usual one, and how many degrees of freedom a row's own has to be
// held against it with; infinite where rows differ by no more than chance. At least two rows, of about the same freedom.
[[nodiscard]] Variance usual_variance(std::span<const Variance> rows);
// A row's own variance with the usual one: both together where rows are alike, with 3 degrees of freedom or more; else the usual one only
// raises what is small by luck.
[[nodiscard]] Variance moderated(const Variance& own, const Variance& usual);

// ln(after / before), and what it is known to.
struct Change {
  double shift = 0;
  double error = 0;     // standard error, never below what clocks are known to
  double freedom = 0;   // degrees of freedom of it
  double of_a_run = 0;  // standard deviation of one run's mean
};
// With runs enough to know how they differ: `of_runs` is variance_of_runs(), or moderated().
[[nodiscard]] Change change_by_history(const SideMean& before, const SideMean& after,
                                       const Variance& of_runs);
// Of ln(after / before) in one round, from rounds in which both were measured in turn. None of fewer than two.
[[nodiscard]] std::optional<Variance> variance_of_rounds(std::span<const double> ratios);
// With both sides measured in turn in each round: what the rounds share cancels out. `of_a_round` is variance_of_rounds(), or moderated();
// `of_a_run` of the change is that of a side's round.
[[nodiscard]] Change change_by_rounds(std::span<const double> ratios, const Variance& of_a_round);
// With the standard deviation between runs taken as known: the rounds give the rest (Welch-Satterthwaite). A side without two rounds in
// any run adds nothing to it.
[[nodiscard]] Change change_by_prior(const SideMean& before, const SideMean& after, double between_runs);

// Of the ratio after / before, by Student's t on logarithms.
[[nodiscard]] ConfidenceInterval interval_of(const Change& change, double level);
// P of a change at least this large if the true one is at most theta either way.
[[nodiscard]] double p_of_change_beyond(const Change& change, double theta);
// The change is shown to be within theta: the 90 % interval lies there (two one-sided tests, Schuirmann 1987).
[[nodiscard]] bool is_equivalent(const Change& change, double theta);
// Which of these hold with a false discovery rate of q (Benjamini and Hochberg 1995).
[[nodiscard]] std::vector<bool> discoveries(std::span<const double> p, double q);

// The median of the means of all pairs (Hodges and Lehmann 1963), of at least one value; many are thinned to 400 first.
[[nodiscard]] double hodges_lehmann(std::span<const double> values);

// The smallest change that is found beyond theta in 80 of 100 cases, as a share.
[[nodiscard]] double smallest_change_seen(const Change& change, double theta);
// This many runs a side tell a change of this share from none in 80 of 100 cases, at a 95 % interval; none below 1000.
[[nodiscard]] std::optional<std::size_t> runs_a_side_for(double of_a_run, double change);
// This many runs a side should tell on which side of theta this change lies; none below 1000.
[[nodiscard]] std::optional<std::size_t> runs_a_side_to_decide(const Change& change, double theta);

}  // namespace assay::statistics
