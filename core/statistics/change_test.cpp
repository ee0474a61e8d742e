// SPDX-License-Identifier: Apache-2.0
#include "statistics/change.hpp"

#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

ConfidenceInterval from(double low, double high) { return {low, high, 0.95, IntervalKind::between_process}; }

TEST(Verdict, DependsOnWhereTheWholeIntervalLies) {
  EXPECT_EQ(verdict_of(from(1.03, 1.05), 0.02, true), ChangeVerdict::better);
  EXPECT_EQ(verdict_of(from(1.03, 1.05), 0.02, false), ChangeVerdict::worse);
  EXPECT_EQ(verdict_of(from(0.95, 0.97), 0.02, true), ChangeVerdict::worse);
  EXPECT_EQ(verdict_of(from(0.95, 0.97), 0.02, false), ChangeVerdict::better);
  EXPECT_EQ(verdict_of(from(0.99, 1.01), 0.02, true), ChangeVerdict::same);
  EXPECT_EQ(verdict_of(from(1.005, 1.01), 0.02, true), ChangeVerdict::same);
  EXPECT_EQ(verdict_of(from(1.005, 1.03), 0.02, true), ChangeVerdict::changed_small);
  EXPECT_EQ(verdict_of(from(0.97, 0.995), 0.02, true), ChangeVerdict::changed_small);
  EXPECT_EQ(verdict_of(from(0.97, 1.01), 0.02, true), ChangeVerdict::undecided);
  EXPECT_EQ(verdict_of(from(0.9, 1.1), 0.02, true), ChangeVerdict::undecided);
}

TEST(Verdict, HasLimitsThatMeanTheSameBothWays) {
  EXPECT_EQ(verdict_of(from(1.01, 1.0199), 0.02, true), ChangeVerdict::same);
  EXPECT_EQ(verdict_of(from(1 / 1.0199, 1 / 1.01), 0.02, true), ChangeVerdict::same);
  EXPECT_EQ(verdict_of(from(1 / 1.03, 1 / 1.0201), 0.02, true), ChangeVerdict::worse);
}

TEST(PairedRatio, IsStudentsOnLogarithmsOfRatios) {
  const std::vector<double> left = {1.1, 2.4, 3.9};
  const std::vector<double> right = {1.0, 2.0, 3.0};
  const double a = std::log(1.1), b = std::log(1.2), c = std::log(1.3);
  const double centre = (a + b + c) / 3;
  const double sd = std::sqrt(
      ((a - centre) * (a - centre) + (b - centre) * (b - centre) + (c - centre) * (c - centre)) / 2);
  const Ratio ratio = paired_ratio(left, right);
  EXPECT_EQ(ratio.n, 3u);
  EXPECT_NEAR(ratio.ratio, std::exp(centre), 1e-12);
  EXPECT_NEAR(ratio.scatter, sd, 1e-12);
  ASSERT_TRUE(ratio.interval);
  EXPECT_NEAR(std::log(ratio.interval->high), centre + 4.30265 * sd / std::sqrt(3.0), 1e-4);
}

TEST(PairedRatio, CancelsWhatARoundDoesToBoth) {
  const std::vector<double> right = {1.0, 1.5, 0.7, 1.2};
  std::vector<double> left;
  for (const double value : right) left.push_back(1.05 * value);
  const Ratio ratio = paired_ratio(left, right);
  EXPECT_NEAR(ratio.interval->low, 1.05, 1e-9);
  EXPECT_NEAR(ratio.interval->high, 1.05, 1e-9);
  EXPECT_GT(between_process_interval(left)->half_width(), 0.3) << "the rounds by themselves";
}

TEST(FurtherRounds, AreThoseThatWouldSuffice) {
  Random random(1);
  std::vector<double> left(4), right(4);
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = 1.035 * random.lognormal(0.02);
    right[i] = random.lognormal(0.02);
  }
  const Ratio seen = paired_ratio(left, right);
  const double distance = std::abs(std::abs(std::log(seen.ratio)) - std::log1p(0.02));
  const std::size_t more = further_rounds(seen.n, seen.scatter, distance);
  ASSERT_GT(more, 0u);
  // With that many, at the scatter and the centre seen, the interval ends before the limit; with one fewer it
  // does not.
  const auto pretend = [&](std::size_t n) {
    // Half of the logarithms up, half down, so that their standard deviation is the one seen.
    const double step = seen.scatter * std::sqrt(static_cast<double>(n - 1) / static_cast<double>(n - n % 2));
    std::vector<double> ratios(n, seen.ratio);
    for (std::size_t i = 0; i < n - n % 2; ++i) ratios[i] *= std::exp(i % 2 == 0 ? step : -step);
    const Ratio later = paired_ratio(ratios, std::vector<double>(n, 1.0));
    return std::log(later.interval->high / later.ratio);
  };
  EXPECT_LT(pretend(4 + more), distance);
  EXPECT_GE(pretend(4 + more - 1), distance);
  EXPECT_NEAR(scatter_of(std::log(seen.interval->high / seen.ratio), seen.n), seen.scatter, 1e-12);
}

TEST(FurtherRounds, AreAtLeastThoseOfAnInterval) {
  EXPECT_EQ(further_rounds(0, 0, 1), 3u);
  EXPECT_EQ(further_rounds(1, 0, 1), 2u);
  EXPECT_EQ(further_rounds(2, 1e-9, 1), 1u);
}

TEST(FurtherRounds, AreNotPromisedInThousands) {
  EXPECT_EQ(further_rounds(5, 0.05, 0.0002), 0u);
  EXPECT_EQ(further_rounds(5, 0.05, 0), 0u);
}

// The expected number is enough in about half of the cases, and twice as many nearly always.
TEST(FurtherRounds, DecideWhatTheySaidTheyWould) {
  int decided = 0, trials = 0;
  for (std::uint64_t trial = 0; trial < 400; ++trial) {
    Random random(4, trial);
    std::vector<double> left, right;
    const auto measure = [&](std::size_t rounds) {
      while (left.size() < rounds) {
        left.push_back(1.03 * random.lognormal(0.01));
        right.push_back(random.lognormal(0.01));
      }
    };
    measure(5);
    const Ratio seen = paired_ratio(left, right);
    if (verdict_of(*seen.interval, 0.02, true) == ChangeVerdict::better) continue;
    const std::size_t more = further_rounds(5, 0.01 * std::sqrt(2.0), std::log(1.03 / 1.02));
    measure(5 + 2 * more);
    ++trials;
    decided += verdict_of(*paired_ratio(left, right).interval, 0.02, true) == ChangeVerdict::better;
  }
  ASSERT_GT(trials, 100);
  EXPECT_GE(decided, 0.7 * trials);
}

TEST(StandardErrorsAbove, AreThoseOfTheTwoMeans) {
  // Means 2 and 7, variances of the means 1/3 each: (7 - 2 · 2) / √(1/3 + 4/3).
  EXPECT_NEAR(standard_errors_above(2, std::vector{1.0, 2.0, 3.0}, std::vector{6.0, 7.0, 8.0}),
              3 / std::sqrt(5.0 / 3), 1e-12);
  EXPECT_EQ(standard_errors_above(2, std::vector{1.0, 1.0}, std::vector{3.0, 3.0}), HUGE_VAL);
  EXPECT_EQ(standard_errors_above(2, std::vector{2.0, 2.0}, std::vector{3.0, 3.0}), -HUGE_VAL);
}

TEST(StandardErrorsAbove, HaveTheSpreadOfOneWithoutADifference) {
  double squares = 0;
  constexpr int kTrials = 2000;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Random random(3, trial);
    std::vector<double> left(50), right(50);
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] = 10 + random.normal();
      right[i] = 15 + 3 * random.normal();
    }
    squares += std::pow(standard_errors_above(1.5, left, right), 2);
  }
  EXPECT_NEAR(squares / kTrials, 1, 0.1);
}

}  // namespace
}  // namespace assay::statistics
