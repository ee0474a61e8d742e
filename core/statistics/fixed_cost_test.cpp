// SPDX-License-Identifier: Apache-2.0
#include "statistics/fixed_cost.hpp"

#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

constexpr int kTrialsOfCost = 400;
constexpr double kCost_s = 4e-6, kSlope_s = 16e-6;  // a fifth of a sample does not grow

struct Noise {
  double of_a_reading = 0.01;  // standard deviation, as a share
  double held_up = 0;          // so often another program makes a reading half as long again
  double between = 0;          // of the cost of a round, as a share
  double tick_s = 0;
};

PairedTimes pairs_of(const Noise& noise, std::size_t pairs, std::uint64_t stream) {
  Random random(21, stream);
  const double cost_s = kCost_s * (1 + noise.between * random.normal());
  const auto reading = [&](double n) {
    double seconds = (cost_s + n * kSlope_s) * (1 + noise.of_a_reading * random.normal());
    if (random.chance(noise.held_up)) seconds *= 1.5;
    return noise.tick_s > 0 ? std::round(seconds / noise.tick_s) * noise.tick_s : seconds;
  };
  PairedTimes times;
  for (std::size_t i = 0; i < pairs; ++i) {
    times.once_s.push_back(reading(1));
    times.twice_s.push_back(reading(2));
  }
  return times;
}

struct TrialShares {
  double covered = 0, above_a_twentieth = 0;  // shares of trials
};

TrialShares found_with(const Noise& noise, std::size_t rounds, double cost_s = kCost_s) {
  TrialShares found;
  for (std::uint64_t trial = 0; trial < kTrialsOfCost; ++trial) {
    std::vector<PairedTimes> all;
    for (std::size_t round = 0; round < rounds; ++round) {
      all.push_back(pairs_of(noise, 8, trial * rounds + round));
      for (double& seconds : all.back().once_s) seconds += cost_s - kCost_s;
      for (double& seconds : all.back().twice_s) seconds += cost_s - kCost_s;
    }
    const auto cost = fixed_cost(all, noise.tick_s);
    if (!cost) continue;
    found.covered += cost->interval.contains(cost_s) ? 1.0 / kTrialsOfCost : 0;
    found.above_a_twentieth += cost->interval.low > 0.05 * (cost_s + kSlope_s) ? 1.0 / kTrialsOfCost : 0;
  }
  return found;
}

TEST(FixedCost, OfExactTimesIsExact) {
  const std::vector<PairedTimes> rounds = {{{3, 3, 3, 3, 3, 3}, {5, 5, 5, 5, 5, 5}}};
  const auto cost = fixed_cost(rounds, 0);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->value, 1);
  EXPECT_EQ(cost->interval.low, 1);
  EXPECT_EQ(cost->interval.high, 1);
  EXPECT_EQ(fixed_cost(rounds, 0.5)->interval.low, 0.25);
}

TEST(FixedCost, IsCoveredByItsInterval) {
  EXPECT_GE(found_with({}, 1).covered, 0.95);
  EXPECT_GE(found_with({}, 3).covered, 0.93);
  EXPECT_GE(found_with({0.01, 0, 0.1}, 3).covered, 0.93);
  EXPECT_GE(found_with({0.001, 0, 0, 1e-6}, 1).covered, 0.93);
  EXPECT_GE(found_with({0.01, 0.1, 0}, 1).covered, 0.95);
  EXPECT_GE(found_with({0.01, 0.1, 0}, 3).covered, 0.93);
}

// What makes a rate go by the slope: seen where it is there, and not made up where it is not.
TEST(FixedCost, OfMoreThanATwentiethIsToldFromNone) {
  EXPECT_GE(found_with({}, 1).above_a_twentieth, 0.95);
  EXPECT_GE(found_with({}, 3).above_a_twentieth, 0.95);
  for (const Noise& noise : {Noise{}, Noise{0.05}, Noise{0.01, 0.1}, Noise{0.05, 0.3}})
    for (const std::size_t rounds : {1, 2, 3, 5})
      EXPECT_LE(found_with(noise, rounds, 0).above_a_twentieth, 0.025)
          << noise.of_a_reading << ", " << noise.held_up << ", " << rounds;
}

TEST(FixedCost, NeedsSixPairsOrThreeRounds) {
  const auto of = [](std::vector<std::size_t> pairs) {
    std::vector<PairedTimes> rounds;
    for (const std::size_t count : pairs) rounds.push_back(pairs_of({}, count, rounds.size()));
    return fixed_cost(rounds, 0).has_value();
  };
  EXPECT_FALSE(of({}));
  EXPECT_FALSE(of({5}));
  EXPECT_TRUE(of({6}));
  EXPECT_TRUE(of({3, 3}));
  EXPECT_TRUE(of({1, 1, 1}));
  EXPECT_FALSE(of({8, 8, 0})) << "a round that was not tested";
}

}  // namespace
}  // namespace assay::statistics
