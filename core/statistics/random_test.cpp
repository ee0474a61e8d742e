// SPDX-License-Identifier: Apache-2.0
#include "statistics/testing/random.hpp"

#include "statistics/summary.hpp"
#include "statistics/testing/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

TEST(Random, GivesTheSameNumbersEverywhere) {
  Random random(1, 2);
  EXPECT_EQ(random.next(), 0x51583588923bde8bu);
  EXPECT_EQ(random.next(), 0xf238d6d6e949bbadu);
  EXPECT_EQ(Random(1, 2).normal(), -0x1.28dbfa9ee63c5p-3);
  EXPECT_EQ(Random(1, 2).lognormal(0.25), 0x1.edc747f7bbfe4p-1);
}

TEST(Random, HasStreamsOfItsOwn) {
  EXPECT_NE(Random(1, 0).next(), Random(1, 1).next());
  EXPECT_NE(Random(1, 1).next(), Random(2, 0).next());
}

TEST(Random, IsUniformBetweenItsEnds) {
  Random random(3);
  std::vector<int> tenths(10);
  for (int i = 0; i < 20'000; ++i) {
    const double value = random.uniform();
    ASSERT_GT(value, 0);
    ASSERT_LT(value, 1);
    ++tenths[static_cast<std::size_t>(value * 10)];
  }
  double chi_square = 0;
  for (const int count : tenths) chi_square += (count - 2000.0) * (count - 2000.0) / 2000.0;
  EXPECT_LT(chi_square, 27.9);  // 9 degrees of freedom, 99.9 %
}

TEST(Random, IsNormalWhereItSaysSo) {
  Random random(4);
  std::vector<double> values(20'000);
  for (double& value : values) value = random.normal();
  EXPECT_NEAR(mean(values), 0, 0.025);
  EXPECT_NEAR(stdev(values), 1, 0.02);
  const std::vector<double> ascending = sorted(values);
  EXPECT_NEAR(quantile_of_sorted(ascending, 0.975), 1.96, 0.06);
  EXPECT_NEAR(quantile_of_sorted(ascending, 0.025), -1.96, 0.06);
}

TEST(Random, TakesChancesAtTheRateAskedFor) {
  Random random(5);
  int hits = 0;
  for (int i = 0; i < 10'000; ++i) hits += random.chance(0.2);
  EXPECT_NEAR(hits, 2000, 160);
}

TEST(PortableLogAndExp, AgreeWithTheLibrary) {
  for (double x = 1e-12; x < 1e12; x *= 1.7)
    EXPECT_NEAR(portable_log(x), std::log(x), 1e-14 * std::abs(std::log(x)) + 1e-15);
  for (double x = -600; x < 600; x += 3.7) EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-13);
}

TEST(Simulation, HasTheTruthItSays) {
  for (const SimulatedProcess process :
       {SimulatedProcess::iid, SimulatedProcess::spiky, SimulatedProcess::lognormal,
        SimulatedProcess::correlated, SimulatedProcess::very_correlated, SimulatedProcess::two_state,
        SimulatedProcess::quantised}) {
    const std::vector<double> values = simulate(process, 200'000, 6, 0);
    const TrueValues truth = truth_of(process);
    EXPECT_NEAR(median(values), truth.median, 0.002 * truth.median) << static_cast<int>(process);
    EXPECT_NEAR(mean(values), truth.mean, 0.002 * truth.mean) << static_cast<int>(process);
  }
}

TEST(Simulation, MakesATraceWithoutThoseBeforeIt) {
  const std::vector<double> ten = simulate(SimulatedProcess::two_state, 100, 1, 10);
  EXPECT_EQ(ten, simulate(SimulatedProcess::two_state, 100, 1, 10));
  EXPECT_NE(ten, simulate(SimulatedProcess::two_state, 100, 1, 11));
  const std::vector<double> longer = simulate(SimulatedProcess::two_state, 200, 1, 10);
  EXPECT_TRUE(std::equal(ten.begin(), ten.end(), longer.begin()));
}

}  // namespace
}  // namespace assay::statistics
