// SPDX-License-Identifier: Apache-2.0
#include "statistics/interval.hpp"

#include "statistics/estimate.hpp"
#include "statistics/long_run.hpp"
#include "statistics/summary.hpp"
#include "statistics/testing/random.hpp"
#include "statistics/testing/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

TEST(LongRun, MakesBlocksNoShorterThanTheCorrelation) {
  for (std::uint64_t trace = 0; trace < 50; ++trace) {
    const std::vector<double> values = simulate(SimulatedProcess::very_correlated, 400, 1, trace);
    const LongRun run = long_run(values);
    EXPECT_GE(static_cast<double>(run.block_length), run.autocorrelation_time) << trace;
    EXPECT_LE(run.blocks, 20u);
    EXPECT_GE(run.blocks, 4u);
    EXPECT_LE(run.degrees_of_freedom, static_cast<double>(run.blocks - 1));
  }
}

TEST(LongRun, SeesSlowSwingsUnderMuchFastNoise) {
  std::vector<double> values = simulate(SimulatedProcess::iid, 4000, 2, 0);
  const double quiet = long_run(values).variance;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += (i / 500) % 2 == 0 ? 0.005 : -0.005;
  EXPECT_GT(long_run(values).variance, 5 * quiet);
}

TEST(LongRun, OfConstantsIsZero) {
  const LongRun run = long_run(std::vector<double>(40, 2.0));
  EXPECT_EQ(run.variance, 0);
  EXPECT_EQ(run.degrees_of_freedom, 19);
}

TEST(LongRun, KnowsWhichTailIsLong) {
  EXPECT_GT(long_run(simulate(SimulatedProcess::spiky, 400, 1, 0)).skewness, 0.1);
  std::vector<double> mirrored = simulate(SimulatedProcess::spiky, 400, 1, 0);
  for (double& value : mirrored) value = -value;
  EXPECT_LT(long_run(mirrored).skewness, -0.1);
}

TEST(MedianInterval, LiesAtTheRanksOfTheTheory) {
  // 400 independent values in shuffled order: n/2 -+ t * sqrt(n)/2 with 19 blocks' t of 2.09, a little wider
  // by chance correlation.
  std::vector<double> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>((i * 147) % 400);
  const auto interval = median_interval(values);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 199.5 - 20.9, 3);
  EXPECT_NEAR(interval->high, 199.5 + 20.9, 3);
  EXPECT_EQ(interval->level, 0.95);
  EXPECT_EQ(interval->kind, IntervalKind::within_process);
}

TEST(MedianInterval, NeedsSixSamples) {
  EXPECT_FALSE(median_interval(std::vector<double>{1, 2, 3, 4, 5}));
  const auto interval = median_interval(std::vector<double>{1, 2, 6, 4, 5, 3});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 1);
  EXPECT_EQ(interval->high, 6);
}

TEST(MedianInterval, GrowsWithTheLevel) {
  const std::vector<double> values = simulate(SimulatedProcess::iid, 200, 1, 0);
  EXPECT_LT(median_interval(values, 0.8)->half_width(), median_interval(values, 0.95)->half_width());
  EXPECT_LT(median_interval(values, 0.95)->half_width(), median_interval(values, 0.99)->half_width());
}

// Twenty thousand samples that drift up and down once are few independent ones, and no reason to let single
// outliers say how far away the median may be.
TEST(MedianInterval, OfASlowSeriesIsOfItsLevelsAndNotOfItsOutliers) {
  std::vector<double> values(20000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1 + 0.02 * std::sin(6.283 * static_cast<double>(i) / 20000);
  for (std::size_t i = 500; i < values.size(); i += 1000) values[i] = 300;
  const auto interval = median_interval(values);
  ASSERT_TRUE(interval);
  EXPECT_TRUE(interval->contains(1));
  EXPECT_GT(interval->low, 0.97);
  EXPECT_LT(interval->high, 1.03);
  EXPECT_GT(interval->half_width(), 0.015) << "nothing tells which of the levels is the usual one";
}

TEST(BlockMean, IsStudentsIntervalForFewIndependentValues) {
  const std::vector<double> values = {2, 9, 4, 5,
                                      8, 3, 7, 6};  // alternating, symmetric: blocks of one, no skewness
  const BlockMean block = block_mean(values);
  EXPECT_DOUBLE_EQ(block.mean, 5.5);
  EXPECT_EQ(block.block_length, 1u);
  EXPECT_EQ(block.blocks, 8u);
  ASSERT_TRUE(block.interval);
  EXPECT_NEAR(block.interval->half_width(), 2.3646 * std::sqrt(6.0 / 8), 1e-3);
}

TEST(BlockMean, WidensTheSideOfTheLongTailOnly) {
  const std::vector<double> values = simulate(SimulatedProcess::spiky, 400, 1, 0);
  const BlockMean block = block_mean(values);
  EXPECT_GT(block.interval->high - block.mean, 1.2 * (block.mean - block.interval->low));
}

TEST(BlockMean, HasNoIntervalBelowSixSamples) {
  const BlockMean block = block_mean(std::vector<double>{1, 2, 3, 4, 5});
  EXPECT_EQ(block.mean, 3);
  EXPECT_FALSE(block.interval);
}

TEST(Quantised, IsASeriesOfFewValuesOrOneWithinTheTick) {
  std::vector<double> few(50);
  for (std::size_t i = 0; i < few.size(); ++i) few[i] = static_cast<double>(i % 20);
  EXPECT_TRUE(is_quantised(few, 0));
  few[0] = 20.5;
  EXPECT_FALSE(is_quantised(few, 0));
  EXPECT_FALSE(is_quantised(std::span<const double>(few).first(49), 0));
  EXPECT_TRUE(is_quantised(std::vector<double>{1.0, 1.1, 1.2, 1.1}, 0.5));
  EXPECT_FALSE(is_quantised(std::vector<double>{1.0, 2.1, 3.2, 4.1}, 0.5));
  EXPECT_FALSE(is_quantised(std::vector<double>{1.0}, 0.5));
}

// Rounded to ticks, of which the median is 10.3: the plain one is 10, whatever the number of samples.
TEST(Estimate, FindsTheMedianBetweenTicks) {
  const std::vector<double> values = simulate(SimulatedProcess::quantised, 2000, 1, 0);
  EXPECT_EQ(median(values), 10);
  for (const double tick : {1.0, 0.0}) {
    const SampleEstimate quantised = estimate(values, Statistic::median, tick);
    EXPECT_NEAR(quantised.value, 10.3, 0.05);
    EXPECT_NEAR(quantised.interval->low, 9.5, 1e-9) << "half a tick longer at both ends";
    EXPECT_NEAR(quantised.interval->high, 10.5, 1e-9);
  }
}

// Of the quietest work the clock's tick is all that is seen; a few samples that were held up are not its median.
TEST(Estimate, OfQuantisedValuesIsNoMean) {
  int moved = 0;
  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    Random random(15, trial);
    std::vector<double> values(400);
    for (double& value : values) {
      const double seconds = 20e-6 + 20e-9 * random.normal() + (random.chance(0.005) ? 200e-6 : 0);
      value = std::round(seconds / 32e-9) * 32e-9;
    }
    moved += std::fabs(estimate(values, Statistic::median, 32e-9).value / 20e-6 - 1) > 0.001;
  }
  EXPECT_EQ(moved, 0);
}

TEST(Estimate, CountsEffectiveSamples) {
  const SampleEstimate correlated =
      estimate(simulate(SimulatedProcess::very_correlated, 1000, 1, 0), Statistic::mean, 0);
  EXPECT_NEAR(correlated.effective_samples * correlated.autocorrelation_time, 1000, 1e-9);
  EXPECT_LT(correlated.effective_samples, 200);
}

TEST(Estimate, ClaimsNoMoreThanClocksCan) {
  const SampleEstimate exact = estimate(std::vector<double>(100, 2.0), Statistic::median, 0);
  EXPECT_DOUBLE_EQ(exact.interval->low, 2.0 * (1 - kTimingAccuracy));
  EXPECT_DOUBLE_EQ(exact.interval->high, 2.0 * (1 + kTimingAccuracy));
  const ConfidenceInterval wide = widened_to_timing_accuracy({1, 3, 0.95, IntervalKind::within_process}, 2);
  EXPECT_EQ(wide.low, 1);
  EXPECT_EQ(wide.high, 3);
}

TEST(BetweenProcessInterval, IsStudentsOnLogarithms) {
  const std::vector<double> estimates = {std::exp(1.0), std::exp(2.0), std::exp(3.0)};
  EXPECT_NEAR(geometric_mean(estimates), std::exp(2.0), 1e-12);
  const auto interval = between_process_interval(estimates);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(std::log(interval->high), 2 + 4.3027 / std::sqrt(3.0), 1e-3);
  EXPECT_NEAR(std::log(interval->low), 2 - 4.3027 / std::sqrt(3.0), 1e-3);
  EXPECT_EQ(interval->kind, IntervalKind::between_process);
  EXPECT_FALSE(between_process_interval(std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace assay::statistics
