// SPDX-License-Identifier: Apache-2.0
#include "statistics/compare.hpp"

#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

Interval from(double low, double high) { return {low, high, 0.95, IntervalKind::between_process}; }

TEST(Verdict, DependsOnWhereTheWholeIntervalLies) {
  EXPECT_EQ(verdict_of(from(1.03, 1.05), 0.02, true), Verdict::better);
  EXPECT_EQ(verdict_of(from(1.03, 1.05), 0.02, false), Verdict::worse);
  EXPECT_EQ(verdict_of(from(0.95, 0.97), 0.02, true), Verdict::worse);
  EXPECT_EQ(verdict_of(from(0.95, 0.97), 0.02, false), Verdict::better);
  EXPECT_EQ(verdict_of(from(0.99, 1.01), 0.02, true), Verdict::same);
  EXPECT_EQ(verdict_of(from(1.005, 1.01), 0.02, true), Verdict::same);
  EXPECT_EQ(verdict_of(from(1.005, 1.03), 0.02, true), Verdict::changed_small);
  EXPECT_EQ(verdict_of(from(0.97, 0.995), 0.02, true), Verdict::changed_small);
  EXPECT_EQ(verdict_of(from(0.97, 1.01), 0.02, true), Verdict::undecided);
  EXPECT_EQ(verdict_of(from(0.9, 1.1), 0.02, true), Verdict::undecided);
}

TEST(Verdict, HasLimitsThatMeanTheSameBothWays) {
  EXPECT_EQ(verdict_of(from(1.01, 1.0199), 0.02, true), Verdict::same);
  EXPECT_EQ(verdict_of(from(1 / 1.0199, 1 / 1.01), 0.02, true), Verdict::same);
  EXPECT_EQ(verdict_of(from(1 / 1.03, 1 / 1.0201), 0.02, true), Verdict::worse);
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
  EXPECT_FALSE(ratio.sign_interval);
}

TEST(PairedRatio, CancelsWhatARoundDoesToBoth) {
  const std::vector<double> right = {1.0, 1.5, 0.7, 1.2};
  std::vector<double> left;
  for (const double value : right) left.push_back(1.05 * value);
  const Ratio ratio = paired_ratio(left, right);
  EXPECT_NEAR(ratio.interval->low, 1.05, 1e-9);
  EXPECT_NEAR(ratio.interval->high, 1.05, 1e-9);
  EXPECT_GT(unpaired_ratio(left, right).interval->half_width(), 0.3);
}

TEST(SignInterval, HasTheExactRanks) {
  // Binomial tails: n = 6 to 8 the extremes, n = 9 to 11 the second from either end.
  std::vector<double> left = {1, 2, 3, 4, 5, 6};
  Ratio ratio = paired_ratio(left, std::vector<double>(6, 1.0));
  ASSERT_TRUE(ratio.sign_interval);
  EXPECT_NEAR(ratio.sign_interval->low, 1, 1e-12);
  EXPECT_NEAR(ratio.sign_interval->high, 6, 1e-12);
  left.insert(left.end(), {7, 8, 9, 10});
  ratio = paired_ratio(left, std::vector<double>(10, 1.0));
  EXPECT_NEAR(ratio.sign_interval->low, 2, 1e-12);
  EXPECT_NEAR(ratio.sign_interval->high, 9, 1e-12);
  // At 99 %, six pairs are too few even for the extremes.
  EXPECT_FALSE(paired_ratio(std::vector<double>(6, 1.0), std::vector<double>(6, 1.0), 0.99).sign_interval);
}

TEST(Compare, NeedsThreeRounds) {
  const std::vector<double> left = {2, 2};
  const std::vector<double> right = {1, 1};
  const Comparison comparison = compare(left, right, 0.02, true);
  EXPECT_EQ(comparison.verdict, Verdict::undecided);
  EXPECT_GT(comparison.rounds_needed, 0u);
  EXPECT_EQ(compare(std::vector<double>{2}, std::vector<double>{1}, 0.02, true).rounds_needed, 2u);
}

TEST(Compare, DistrustsAVerdictThatTheSignsContradict) {
  // Nine pairs at 1.0 are as many as not; the ratio is far from 1 only by the size of few.
  Ratio ratio;
  ratio.n = 10;
  ratio.ratio = 1.05;
  ratio.scatter = 0.03;
  ratio.interval = from(1.03, 1.07);
  ratio.sign_interval = from(0.99, 1.2);
  EXPECT_EQ(compare(ratio, 0.02, true).verdict, Verdict::undecided);
  ratio.sign_interval = from(1.001, 1.2);
  EXPECT_EQ(compare(ratio, 0.02, true).verdict, Verdict::better);
  ratio.interval = from(0.99, 1.01);
  EXPECT_EQ(compare(ratio, 0.02, true).verdict, Verdict::same);
  ratio.sign_interval = from(1.02, 1.2);
  EXPECT_EQ(compare(ratio, 0.02, true).verdict, Verdict::undecided);
}

TEST(Compare, SaysHowManyRoundsWouldSuffice) {
  Random random(1);
  std::vector<double> left(4);
  std::vector<double> right(4);
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = 1.035 * random.lognormal(0.02);
    right[i] = random.lognormal(0.02);
  }
  const Comparison comparison = compare(left, right, 0.02, true);
  ASSERT_EQ(comparison.verdict, Verdict::undecided);
  ASSERT_GT(comparison.rounds_needed, 0u);
  // With that many, at the scatter and the centre seen, the interval ends before the limit; with one fewer it
  // does not.
  const double distance = std::abs(std::abs(std::log(comparison.ratio.ratio)) - std::log1p(0.02));
  const auto pretend = [&](std::size_t n) {
    // Half of the logarithms up, half down, so that their standard deviation is the one seen.
    const double step =
        comparison.ratio.scatter * std::sqrt(static_cast<double>(n - 1) / static_cast<double>(n - n % 2));
    std::vector<double> ratios(n, comparison.ratio.ratio);
    for (std::size_t i = 0; i < n - n % 2; ++i) ratios[i] *= std::exp(i % 2 == 0 ? step : -step);
    const Ratio later = paired_ratio(ratios, std::vector<double>(n, 1.0));
    return std::log(later.interval->high / later.ratio);
  };
  EXPECT_LT(pretend(4 + comparison.rounds_needed), distance);
  EXPECT_GE(pretend(4 + comparison.rounds_needed - 1), distance);
}

TEST(Compare, DoesNotPromiseThousandsOfRounds) {
  Ratio ratio;
  ratio.n = 5;
  ratio.ratio = 1.02;
  ratio.scatter = 0.05;
  ratio.interval = from(0.96, 1.08);
  EXPECT_EQ(compare(ratio, 0.02, true).rounds_needed, 0u);
}

TEST(UnpairedRatio, IsWelchs) {
  // Logarithms 0, 1, 2 and 0, 0.1, 0.2, 0.3: variances 1 and 1/60; standard error sqrt(1/3 + 1/240); 2.05
  // degrees of freedom.
  const std::vector<double> left = {1, std::exp(1.0), std::exp(2.0)};
  const std::vector<double> right = {1, std::exp(0.1), std::exp(0.2), std::exp(0.3)};
  const Ratio ratio = unpaired_ratio(left, right);
  EXPECT_NEAR(std::log(ratio.ratio), 0.85, 1e-12);
  ASSERT_TRUE(ratio.interval);
  EXPECT_NEAR(std::log(ratio.interval->high / ratio.ratio), 4.21 * std::sqrt(1.0 / 3 + 1.0 / 240), 0.02);
  EXPECT_FALSE(unpaired_ratio(left, std::vector<double>{1, 2}).interval);
}

TEST(Compare, IsQuietOnEqualsAndSeesFourPercent) {
  int alarms = 0;
  int found = 0;
  for (std::uint64_t trial = 0; trial < 500; ++trial) {
    Random random(2, trial);
    std::vector<double> a(10), b(10), slower(10);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = random.lognormal(0.01);
      b[i] = random.lognormal(0.01);
      slower[i] = 1.04 * random.lognormal(0.01);
    }
    const Verdict equal = compare(a, b, 0.02, false).verdict;
    alarms += equal == Verdict::better || equal == Verdict::worse;
    found += compare(slower, b, 0.02, false).verdict == Verdict::worse;
  }
  EXPECT_EQ(alarms, 0);
  EXPECT_GE(found, 475);
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
