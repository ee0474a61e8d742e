// SPDX-License-Identifier: Apache-2.0
#include "statistics/quantile.hpp"

#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

constexpr int kTrials = 300;

// Slow episodes of 8 values among 400, 10 slower by 10 standard deviations: 2 % of the values, in clusters.
std::vector<double> clustered(std::size_t n, std::uint64_t trial) {
  Random random(11, trial);
  std::vector<double> values(n);
  int slow = 0;
  for (double& value : values) {
    if (slow == 0 && random.chance(1.0 / 400)) slow = 8;
    value = 100 + random.normal() + (slow > 0 ? 10 : 0);
    slow -= slow > 0;
  }
  return values;
}

double share_covered(std::size_t rounds, std::size_t n, double between, double probability, double truth) {
  int covered = 0;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    std::vector<std::vector<double>> all;
    Random run(12, trial);
    for (std::size_t r = 0; r < rounds; ++r) {
      Random random(13, trial * rounds + r);
      const double level = 100 * (1 + between * run.normal());
      std::vector<double>& values = all.emplace_back(n);
      for (double& value : values) value = level + random.normal();
    }
    const Quantile found = quantile_over_rounds(all, probability);
    covered += found.low.value_or(0) <= truth && truth <= found.high.value_or(HUGE_VAL);
  }
  return covered / static_cast<double>(kTrials);
}

TEST(Quantile, OfOneRoundOfIndependentValuesIsCovered) {
  EXPECT_GE(share_covered(1, 1000, 0, 0.95, 100 + 1.6449), 0.92);
  EXPECT_GE(share_covered(1, 1000, 0, 0.99, 100 + 2.3263), 0.92);
}

// What all rounds together follow: normal, with the variance of values and of rounds.
TEST(Quantile, KnowsThatRoundsDiffer) {
  const double deviation = std::sqrt(1 + 1.0);
  EXPECT_GE(share_covered(3, 1000, 0.01, 0.95, 100 + 1.6449 * deviation), 0.85);
  EXPECT_GE(share_covered(5, 1000, 0.01, 0.95, 100 + 1.6449 * deviation), 0.85);
}

// One value beyond the quantile in each of three rounds: their shares agree, and say nothing of how it scatters.
TEST(Quantile, OfRoundsThatAgreeByChanceIsNoNarrowerThanOfAllTheirValues) {
  std::vector<double> round;
  for (int i = 1; i <= 100; ++i) round.push_back(i);
  const Quantile middle = quantile_over_rounds({round, round, round}, 0.5);
  EXPECT_LE(middle.low.value_or(0), 45);
  EXPECT_GE(middle.high.value_or(0), 56);
  EXPECT_FALSE(quantile_over_rounds({round, round, round}, 0.99).high);
}

// The signs about the median know nothing of it: by them 62 to 69 of 100 intervals held the truth.
TEST(Quantile, TakesTheCorrelationOfItsOwnTail) {
  std::vector<std::vector<double>> long_one = {clustered(2'000'000, 1'000'000)};
  const double truth = quantile_over_rounds(long_one, 0.99).value;
  int covered = 0;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const Quantile found = quantile_over_rounds({clustered(4000, trial)}, 0.99);
    covered += found.low.value_or(0) <= truth && truth <= found.high.value_or(HUGE_VAL);
  }
  EXPECT_GE(covered, 0.80 * kTrials);
}

TEST(Quantile, HasNoUpperEndBelowTheFewestThatCouldShowOne) {
  EXPECT_EQ(fewest_for_upper_bound(0.99), 299U);
  EXPECT_EQ(fewest_for_upper_bound(0.999), 2995U);
  const auto series = [](std::size_t n) {
    Random random(14);
    std::vector<double> values(n);
    for (double& value : values) value = random.normal();
    return std::vector<std::vector<double>>{values};
  };
  EXPECT_FALSE(quantile_over_rounds(series(250), 0.99).high);
  EXPECT_TRUE(quantile_over_rounds(series(250), 0.99).low);
  EXPECT_TRUE(quantile_over_rounds(series(2000), 0.99).high);
  EXPECT_FALSE(quantile_over_rounds(series(2000), 0.999).high);
  EXPECT_FALSE(quantile_over_rounds({{1, 2, 3}}, 0.5).high);
}

}  // namespace
}  // namespace assay::statistics
