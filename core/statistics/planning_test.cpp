// SPDX-License-Identifier: Apache-2.0
//
// What is promised before a run, and what is left of 5 % after several looks, compared with simulated rounds.
#include "statistics/planning.hpp"

#include "statistics/interval.hpp"
#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

constexpr int kTries = 20000;

std::vector<double> rounds_of(Random& random, std::size_t count, double centre, double scatter) {
  std::vector<double> values(count);
  for (double& value : values) value = std::exp(centre + scatter * random.normal());
  return values;
}

// How often the judge's own interval over rounds ends before 1.
double seen_in(double scatter, double distance, std::size_t rounds) {
  Random random(7, rounds);
  int seen = 0;
  for (int i = 0; i < kTries; ++i)
    seen += between_process_interval(rounds_of(random, rounds, distance, scatter))->low > 1 ? 1 : 0;
  return static_cast<double>(seen) / kTries;
}

struct Wanted {
  double scatter, distance;
  std::size_t rounds;
};

// Standard errors of a share of 20,000 are below 0.4 %.
TEST(Planning, ThePlannedRoundsAreTheFewestThatShowTheEffect) {
  for (const Wanted& wanted : std::vector<Wanted>{
           {0.0016, 0.01, 3}, {0.0033, 0.01, 4}, {0.012, 0.01, 14}, {0.03, 0.01, 73}, {0.03, 0.05, 6}}) {
    const auto rounds = rounds_to_see(wanted.scatter, wanted.distance);
    ASSERT_TRUE(rounds);
    EXPECT_EQ(*rounds, wanted.rounds) << wanted.scatter;
    EXPECT_GT(seen_in(wanted.scatter, wanted.distance, *rounds), kPower - 0.01) << wanted.scatter;
    if (*rounds > kFewestProcessesForInterval) {
      EXPECT_LT(seen_in(wanted.scatter, wanted.distance, *rounds - 1), kPower + 0.005) << wanted.scatter;
    }
  }
}

TEST(Planning, PowerIsThatOfSimulatedRounds) {
  for (const std::size_t rounds : {3U, 5U, 20U})
    for (const double distance : {0.005, 0.01, 0.03})
      EXPECT_NEAR(power_of(0.01, distance, rounds), seen_in(0.01, distance, rounds), 0.012)
          << rounds << " " << distance;
}

TEST(Planning, WhatTakesMoreThanAThousandRoundsIsNotPlanned) {
  EXPECT_FALSE(rounds_to_see(0.2, 0.01));
  EXPECT_EQ(rounds_to_see(0, 0.01), kFewestProcessesForInterval);
}

TEST(Planning, TheSmallestEffectIsTheOneThatTheRoundsArePlannedFor) {
  for (const std::size_t rounds : {3U, 6U, 40U}) {
    const double distance = smallest_distance_seen(0.01, rounds);
    EXPECT_NEAR(power_of(0.01, distance, rounds), kPower, 1e-6);
    EXPECT_EQ(rounds_to_see(0.01, distance * 1.001), rounds);
  }
  EXPECT_EQ(smallest_distance_seen(0, 3), 0);
}

TEST(Planning, ComponentsAreFoundInSimulatedRuns) {
  Random random(11);
  std::vector<std::vector<double>> runs;
  for (int run = 0; run < 400; ++run) {
    std::vector<double>& rounds = runs.emplace_back();
    const double level = 0.02 * random.normal();
    for (int round = 0; round < 5; ++round) rounds.push_back(level + 0.01 * random.normal());
  }
  const Components found = variance_components(runs, 0.006 * 0.006);
  EXPECT_NEAR(found.of_a_round, 0.01, 0.001);
  EXPECT_EQ(found.round_freedom, 1600);
  EXPECT_NEAR(found.of_samples, 0.006, 1e-12);
  ASSERT_TRUE(found.of_runs);
  EXPECT_NEAR(*found.of_runs, 0.02, 0.002);
}

TEST(Planning, OneRunSaysNothingOfRunsAndOneRoundNothingOfRounds) {
  const Components rounds = variance_components(std::vector<std::vector<double>>{{0, 0.1, 0.2}}, 1);
  EXPECT_NEAR(rounds.of_a_round, 0.1, 1e-12);
  EXPECT_NEAR(rounds.of_samples, 0.1, 1e-12);  // never more than all
  EXPECT_FALSE(rounds.of_runs);
  const Components runs = variance_components(std::vector<std::vector<double>>{{0}, {0.2}}, 0);
  EXPECT_EQ(runs.round_freedom, 0);
  ASSERT_TRUE(runs.of_runs);
  EXPECT_NEAR(*runs.of_runs, std::sqrt(0.02), 1e-12);
}

// The share of runs that decide wrongly at any look while the truth lies on the limit. One side is wrong.
double wrong_after(int extensions, int first_rounds, bool corrected) {
  int wrong = 0;
  for (int i = 0; i < kTries; ++i) {
    Random random(13, static_cast<std::uint64_t>(i));
    std::vector<double> values;
    int rounds = first_rounds;
    for (int look = 0; look <= extensions; ++look) {
      for (const double value : rounds_of(random, static_cast<std::size_t>(rounds) - values.size(), 0, 0.01))
        values.push_back(value);
      const ConfidenceInterval interval =
          *between_process_interval(values, level_after_looks(corrected ? look : 0));
      if (interval.low > 1) ++wrong;
      if (!interval.contains(1)) break;  // decided: nothing is extended any more
      rounds = extended_rounds(rounds);
    }
  }
  return static_cast<double>(wrong) / kTries;
}

TEST(Looks, FalseDecisionsStayBelowFivePercentHoweverOftenARunIsExtended) {
  for (const int first : {3, 5, 10})
    for (const int extensions : {0, 1, 3, 5}) EXPECT_LT(wrong_after(extensions, first, true), 0.05) << first;
}

TEST(Looks, WithoutTheCorrectionTheyDoNot) {
  EXPECT_NEAR(wrong_after(0, 3, false), 0.025, 0.004);
  EXPECT_GT(wrong_after(5, 3, false), 0.055);
}

TEST(Looks, TheFirstIsAtTheUsualLevelAndEachLaterOneMayMissHalfAsOften) {
  EXPECT_DOUBLE_EQ(level_after_looks(0), 0.95);
  EXPECT_DOUBLE_EQ(level_after_looks(1), 0.975);
  EXPECT_DOUBLE_EQ(level_after_looks(2), 0.9875);
}

TEST(Looks, ACaseIsExtendedToTwiceItsRoundsAndToThreeAtLeast) {
  EXPECT_EQ(extended_rounds(1), 3);
  EXPECT_EQ(extended_rounds(2), 4);
  EXPECT_EQ(extended_rounds(5), 10);
}

}  // namespace
}  // namespace assay::statistics
