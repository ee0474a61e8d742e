// SPDX-License-Identifier: Apache-2.0
#include "statistics/between_runs.hpp"

#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

using Runs = std::vector<std::vector<double>>;

TEST(BetweenRuns, TheMeanOfASideIsThatOfItsRunsAndItsErrorThatOfTheRounds) {
  const Runs runs{{0.0, 0.2}, {0.4, 0.4, 0.4}};
  const SideMean side = side_mean(runs);
  EXPECT_EQ(side.runs, 2U);
  EXPECT_DOUBLE_EQ(side.mean, 0.25);
  EXPECT_NEAR(side.squares, 2 * 0.15 * 0.15, 1e-15);
  EXPECT_DOUBLE_EQ(side.within_freedom, 3);
  const double of_a_round = 0.02 / 3;
  EXPECT_NEAR(side.within, (of_a_round / 2 + of_a_round / 3) / 4, 1e-15);
}

TEST(BetweenRuns, OneRunASideTellsNothingOfRuns) {
  const SideMean one = side_mean(Runs{{0.0, 0.1}});
  EXPECT_FALSE(variance_of_runs(one, one));
  const auto known = variance_of_runs(side_mean(Runs{{0.0}, {0.2}}), one);
  ASSERT_TRUE(known);
  EXPECT_NEAR(known->value, 0.02, 1e-15);
  EXPECT_DOUBLE_EQ(known->freedom, 1);
}

// By hand: two runs of variance s^2/k each, and 2 sigma^2 between them, which is known and costs no freedom.
TEST(BetweenRuns, ThePriorWidensAndIsNotEstimated) {
  const SideMean before = side_mean(Runs{{-0.01, 0.0, 0.01}}), after = side_mean(Runs{{0.03, 0.04, 0.05}});
  const Change change = change_by_prior(before, after, 0.003);
  const double within = 1e-4 / 3, clocks = 2 * 0.00025 * 0.00025, variance = 2 * within + 2 * 9e-6 + clocks;
  EXPECT_NEAR(change.shift, 0.04, 1e-15);
  EXPECT_NEAR(change.error, std::sqrt(variance), 1e-12);
  EXPECT_NEAR(change.freedom, variance * variance / (2 * within * within / 2), 1e-9);
  EXPECT_GT(change.error, change_by_prior(before, after, 0).error);
}

TEST(BetweenRuns, RunsWithoutScatterAreNoBetterKnownThanClocks) {
  const SideMean side = side_mean(Runs{{0.0}, {0.0}});
  const ConfidenceInterval interval =
      interval_of(change_by_history(side, side, *variance_of_runs(side, side)), 0.95);
  EXPECT_LT(interval.low, 0.9995);
  EXPECT_GT(interval.high, 1.0005);
}

// Variances of two degrees of freedom, all of the same truth, or of truths that differ.
std::vector<Variance> variances(double sigma) {
  Random random(1);
  std::vector<Variance> rows;
  for (int i = 0; i < 2000; ++i) {
    const double truth = random.lognormal(sigma), a = random.normal(), b = random.normal();
    rows.push_back({truth * (a * a + b * b) / 2, 2});
  }
  return rows;
}

TEST(BetweenRuns, RowsThatAreAlikeTellEachOtherTheirVariance) {
  const Variance usual = usual_variance(variances(0));
  EXPECT_NEAR(usual.value, 1, 0.05);
  EXPECT_GT(usual.freedom, 50);
  const Variance lucky = moderated({0.01, 2}, usual), unlucky = moderated({4, 2}, usual);
  EXPECT_GT(lucky.value, 0.8);
  EXPECT_LT(unlucky.value, 1.3);
  EXPECT_DOUBLE_EQ(lucky.freedom, std::min(usual.freedom, 1e6) + 2);
}

TEST(BetweenRuns, RowsThatAreNotAlikeOnlyRaiseWhatIsSmallByLuck) {
  const Variance usual = usual_variance(variances(2));
  EXPECT_LT(usual.freedom, 3);
  EXPECT_GT(moderated({0.001, 2}, usual).value, 0.001);
  EXPECT_DOUBLE_EQ(moderated({40, 2}, usual).value, 40);
  EXPECT_DOUBLE_EQ(moderated({40, 2}, usual).freedom, 2);
}

TEST(BetweenRuns, VariancesOfNothingAreWhatClocksAllow) {
  const Variance usual = usual_variance(std::vector<Variance>(5, {0, 2}));
  EXPECT_GT(usual.value, 0);
  EXPECT_LT(usual.value, 1e-6);
}

TEST(BetweenRuns, BenjaminiAndHochbergsExample) {
  // Table 1 of their paper (1995): at 0.05 the first four are found.
  const std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const std::vector<bool> found = discoveries(p, 0.05);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(found[i], i < 4) << i;
  EXPECT_TRUE(discoveries({}, 0.05).empty());
}

TEST(BetweenRuns, HodgesAndLehmannsEstimateOverlooksWhatMovedAlone) {
  EXPECT_DOUBLE_EQ(hodges_lehmann(std::vector<double>{1, 2, 6}), 2.75);  // of 1, 1.5, 2, 3.5, 4, 6
  std::vector<double> many(1'000'000, 0.01);
  for (std::size_t i = 0; i < 100'000; ++i) many[i] = -5;
  EXPECT_DOUBLE_EQ(hodges_lehmann(many), 0.01);
}

TEST(BetweenRuns, SamenessIsShownByTheNinetyPercentInterval) {
  const Change known{0.0, 0.01, 1e9, 0.01};
  EXPECT_TRUE(is_equivalent(known, 0.02));
  EXPECT_FALSE(is_equivalent({0.01, 0.01, 1e9, 0.01}, 0.02));
  EXPECT_LT(p_of_change_beyond({0.04, 0.005, 1e9, 0}, 0.02), 1e-3);
  EXPECT_GT(p_of_change_beyond({0.015, 0.005, 1e9, 0}, 0.02), 0.5);
}

TEST(BetweenRuns, OnePercentTakesMoreRunsTheMoreTheyDiffer) {
  EXPECT_EQ(runs_a_side_for(0.003, 0.01), 3U);
  EXPECT_EQ(runs_a_side_for(0.01, 0.01), 18U);  // one more than by the noncentral distribution
  EXPECT_EQ(runs_a_side_for(0.5, 0.01), std::nullopt);
  EXPECT_EQ(runs_a_side_for(0.0, 0.0), std::nullopt);
  EXPECT_EQ(runs_a_side_to_decide({std::log(1.02), 0.01, 10, 0.01}, 0.02), std::nullopt);
}

}  // namespace
}  // namespace assay::statistics
