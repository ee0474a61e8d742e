// SPDX-License-Identifier: Apache-2.0
#include "statistics/stationarity.hpp"

#include "statistics/testing/random.hpp"
#include "statistics/testing/simulation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::statistics {
namespace {

std::vector<double> steady(std::size_t n, double seconds, double noise, std::uint64_t stream = 0) {
  Random random(3, stream);
  std::vector<double> values(n);
  for (double& value : values) value = seconds * (1 + noise * random.normal());
  return values;
}

TEST(Steady, NeedsFourWindowsThatAgree) {
  SteadyOptions options;
  options.minimum_s = 0;
  const std::vector<double> seconds = steady(200, 0.005, 0.0001);
  EXPECT_FALSE(is_steady(std::span<const double>(seconds).first(79), options));
  EXPECT_TRUE(is_steady(std::span<const double>(seconds).first(80), options));
}

TEST(Steady, NeedsHalfASecond) {
  const std::vector<double> seconds = steady(200, 0.005, 0.0001);
  EXPECT_FALSE(is_steady(std::span<const double>(seconds).first(99), {}));
  EXPECT_TRUE(is_steady(std::span<const double>(seconds).first(101), {}));
}

TEST(Steady, MakesWindowsLongInTimeToo) {
  // 20 samples of 10 us are not a window: 50 ms are 5000 of them.
  const std::vector<double> seconds = steady(60'000, 1e-5, 0.0001);
  SteadyOptions options;
  options.minimum_s = 0;
  EXPECT_FALSE(is_steady(std::span<const double>(seconds).first(19'000), options));
  EXPECT_TRUE(is_steady(std::span<const double>(seconds).first(20'100), options));
}

TEST(Steady, TakesWindowsOfOneForSecondLongWork) {
  EXPECT_TRUE(is_steady(std::vector<double>(4, 1.5), {}));
  EXPECT_FALSE(is_steady(std::vector<double>(3, 1.5), {}));
}

TEST(Steady, IsNotWhatStillDecays) {
  std::vector<double> seconds(300);
  for (std::size_t i = 0; i < seconds.size(); ++i)
    seconds[i] = 0.005 * (1 + 0.3 * portable_exp(-static_cast<double>(i) / 100));
  EXPECT_FALSE(is_steady(seconds, {}));
}

TEST(Steady, AllowsTheClocksTick) {
  std::vector<double> seconds(400);
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] = (i / 20) % 2 == 0 ? 0.005 : 0.0051;
  EXPECT_FALSE(is_steady(seconds, {}));
  SteadyOptions options;
  options.tick_s = 0.0001;
  EXPECT_TRUE(is_steady(seconds, options));
}

TEST(Steady, OfSustainedWorkComparesMeansOfSeconds) {
  std::vector<double> seconds(4000);
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] = 0.002 * ((i / 25) % 2 == 0 ? 0.95 : 1.05);
  EXPECT_FALSE(is_steady(seconds, {}));
  EXPECT_TRUE(is_steady(seconds, sustained_steady_options()));
  EXPECT_FALSE(is_steady(std::span<const double>(seconds).first(1900), sustained_steady_options()));
}

TEST(Halves, OfASteadyLevelDifferByChanceOnly) {
  for (const std::size_t rounds : {1, 3}) {
    std::size_t unsteady = 0;
    for (std::uint64_t trial = 0; trial < 500; ++trial) {
      std::vector<std::vector<double>> visits;
      for (std::size_t r = 0; r < rounds; ++r)
        visits.push_back(simulate(SimulatedProcess::correlated, 200, 7, trial * 5 + r));
      unsteady += halves(visits).unsteady;
    }
    EXPECT_LE(unsteady, 10u) << rounds;
  }
}

TEST(Halves, TellALevelThatMoves) {
  std::vector<std::vector<double>> visits;
  for (std::uint64_t r = 0; r < 3; ++r) {
    visits.push_back(steady(200, 0.02, 0.005, r));
    for (std::size_t i = 0; i < 200; ++i) visits.back()[i] *= 1 - 0.0002 * static_cast<double>(i);
  }
  const Halves found = halves(visits);
  EXPECT_TRUE(found.unsteady);
  EXPECT_EQ(found.visits, 3u);
  EXPECT_NEAR(found.trend, -0.02, 0.003);
  EXPECT_NEAR(found.change, 0.02, 0.003);
}

TEST(Halves, TellALevelThatMovesOneWayInOneVisitAndTheOtherInTheNext) {
  std::vector<std::vector<double>> visits;
  for (std::uint64_t r = 0; r < 2; ++r) {
    visits.push_back(steady(200, 0.02, 0.002, r));
    for (std::size_t i = 0; i < 100; ++i) visits.back()[i] *= r == 0 ? 1.03 : 0.97;
  }
  const Halves found = halves(visits);
  EXPECT_TRUE(found.unsteady);
  EXPECT_NEAR(found.trend, 0, 0.003);
}

TEST(Halves, AreSilentAboutWhatMattersToNobodyAndAboutFewSamples) {
  std::vector<double> small = steady(400, 0.02, 1e-5);
  for (std::size_t i = 200; i < 400; ++i) small[i] *= 1.003;
  EXPECT_FALSE(halves(std::vector<std::vector<double>>{small}).unsteady);
  std::vector<double> few = steady(15, 0.02, 1e-5);
  for (std::size_t i = 7; i < 15; ++i) few[i] *= 1.1;
  EXPECT_EQ(halves(std::vector<std::vector<double>>{few}).visits, 0u);
  EXPECT_FALSE(halves(std::vector<std::vector<double>>{few}).unsteady);
}

}  // namespace
}  // namespace assay::statistics
