// SPDX-License-Identifier: Apache-2.0
#include "statistics/stationarity.hpp"

#include "statistics/testing/random.hpp"
#include "statistics/testing/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
  // 20 samples of 10 us are no window: 50 ms are 5000 of them.
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

TEST(Mser5, FindsNoTransientInASteadySeries) {
  for (std::uint64_t trace = 0; trace < 20; ++trace) {
    const WarmupCut cut = mser5(steady(300, 1, 0.02, trace));
    EXPECT_TRUE(cut.steady) << trace;
  }
  EXPECT_EQ(mser5(std::vector<double>(300, 1.0)).samples, 0u);
  EXPECT_EQ(mser5(std::vector<double>(49, 1.0)).samples, 0u);
  EXPECT_EQ(mser5(std::vector<double>(9, 1.0)).samples, 0u);
}

TEST(Mser5, CutsASlowStartOfFewSamples) {
  for (const std::size_t n : {10U, 15U, 20U, 34U, 49U}) {
    std::vector<double> values = steady(n, 1, 0.002);
    for (std::size_t i = 0; i < n / 5; ++i) values[i] += 0.1;
    const WarmupCut cut = mser5(values);
    EXPECT_TRUE(cut.steady) << n;
    EXPECT_GE(cut.samples, n / 5) << n;
    EXPECT_LE(cut.samples, n / 2) << n;
  }
}

TEST(Mser5, TakesNoSampleThatWasHeldUpForATransient) {
  for (const std::size_t n : {20U, 34U, 49U}) {
    std::vector<double> values = steady(n, 1, 0.002);
    values[1] += 0.3;
    EXPECT_EQ(mser5(values).samples, 0U) << n;
  }
}

TEST(Mser5, IsSilentAboutChangesThatMatterToNobody) {
  for (const std::size_t n : {30U, 300U}) {
    std::vector<double> values = steady(n, 1, 0.0002);
    for (std::size_t i = 0; i < n / 5; ++i) values[i] += 0.003;
    EXPECT_EQ(mser5(values).samples, 0U) << n;
    for (std::size_t i = 0; i < n / 5; ++i) values[i] += 0.009;
    EXPECT_GE(mser5(values).samples, n / 5) << n;
  }
}

TEST(Mser5, CutsASlowStart) {
  std::vector<double> values = steady(300, 1, 0.01);
  for (std::size_t i = 0; i < 40; ++i) values[i] += 0.2;
  const WarmupCut cut = mser5(values);
  EXPECT_TRUE(cut.steady);
  EXPECT_GE(cut.samples, 40u);
  EXPECT_LE(cut.samples, 100u);
}

TEST(Mser5, CallsASeriesUnsteadyWhoseStartIsMostOfIt) {
  std::vector<double> values = steady(300, 1, 0.01);
  for (std::size_t i = 0; i < 200; ++i) values[i] += 0.2;
  const WarmupCut cut = mser5(values);
  EXPECT_FALSE(cut.steady);
  EXPECT_EQ(cut.samples, 200u);
}

TEST(Drift, IsTheSlopeOverTheSeries) {
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 10 * (1 + 0.02 * (static_cast<double>(i) - 500) / 1000);
  auto found = drift(values);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->relative, 0.02, 1e-6);
  EXPECT_TRUE(found->drifting);
  std::reverse(values.begin(), values.end());
  found = drift(values);
  EXPECT_NEAR(found->relative, -0.02, 1e-6);
  EXPECT_TRUE(found->drifting);
}

TEST(Drift, HoldsTheTrueSlopeInItsInterval) {
  int covered = 0;
  for (std::uint64_t trace = 0; trace < 60; ++trace) {
    std::vector<double> values = steady(400, 1, 0.01, trace);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.01 * static_cast<double>(i) / 400;
    const auto found = drift(values);
    covered += found->low <= 0.00995 && 0.00995 <= found->high;
    EXPECT_LT(found->high - found->low, 0.02);
  }
  EXPECT_GE(covered, 53);
}

TEST(Drift, BelowTheLimitIsNone) {
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 + 0.004 * static_cast<double>(i) / 1000;
  EXPECT_FALSE(drift(values)->drifting);
  EXPECT_FALSE(drift(std::vector<double>(19, 1.0)));
}

TEST(Drift, IsNotFooledByASlowSwing) {
  int flagged = 0;
  for (std::uint64_t trace = 0; trace < 100; ++trace) {
    flagged += drift(simulate(Process::very_correlated, 1000, 4, trace))->drifting;
  }
  EXPECT_LE(flagged, 5);
}

TEST(Modes, FindsTwoLevelsAndTheirCentres) {
  std::vector<double> values = steady(200, 1, 0.005);
  for (std::size_t i = 0; i < values.size(); i += 4) values[i] += 0.05;
  const Modes found = modes(values);
  EXPECT_TRUE(found.bimodal);
  EXPECT_NEAR(found.low_centre, 1, 0.002);
  EXPECT_NEAR(found.high_centre, 1.05, 0.003);
  EXPECT_DOUBLE_EQ(found.high_share, 0.25);
}

TEST(Modes, AreNotFoundInOneLevelNorInAFewOutliers) {
  EXPECT_FALSE(modes(steady(200, 1, 0.02)).bimodal);
  std::vector<double> values = steady(200, 1, 0.005);
  for (std::size_t i = 0; i < 19; ++i) values[i * 10] += 0.5;
  EXPECT_FALSE(modes(values).bimodal);
  values[195] += 0.5;
  EXPECT_TRUE(modes(values).bimodal);
  EXPECT_FALSE(modes(std::vector<double>(100, 1.0)).bimodal);
}

TEST(Modes, AreAsFarApartAsMatters) {
  std::vector<double> values = steady(200, 1, 0.0002);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] += 0.003;
  EXPECT_FALSE(modes(values).bimodal);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] += 0.003;
  EXPECT_TRUE(modes(values).bimodal);
}

TEST(Modes, AreFoundBesideAnOutlier) {
  std::vector<double> values = steady(200, 1, 0.002);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] += 0.05;
  values[1] = 1.2;
  EXPECT_TRUE(modes(values).bimodal);
}

TEST(Skew, IsTheMeansDistanceFromTheMedian) {
  EXPECT_NEAR(skew(std::vector<double>{1, 1, 1, 2}), 0.25, 1e-12);
  EXPECT_NEAR(skew(std::vector<double>{1, 2, 3}), 0, 1e-12);
}

}  // namespace
}  // namespace assay::statistics
