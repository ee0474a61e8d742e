// SPDX-License-Identifier: Apache-2.0
#include "statistics/stopping.hpp"

#include "statistics/summary.hpp"
#include "statistics/testing/random.hpp"
#include "statistics/testing/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

std::vector<double> noisy(std::size_t n, double seconds, double noise) {
  Random random(9);
  std::vector<double> values(n);
  for (double& value : values) value = seconds * (1 + noise * random.normal());
  return values;
}

struct End {
  StopReason reason = StopReason::none;
  std::size_t n = 0;
  std::vector<std::size_t> looks;
};

End run(const StoppingOptions& options, const std::vector<double>& seconds) {
  const StoppingRule rule(options);
  const std::span<const double> all(seconds);
  End end;
  Decision decision = rule.decide({}, 0);
  while (!decision.stop() && end.n < all.size()) {
    EXPECT_GT(decision.more, 0u);
    end.n = std::min<std::size_t>(all.size(), end.n + decision.more);
    end.looks.push_back(end.n);
    decision = rule.decide(all.first(end.n), sum(all.first(end.n)));
  }
  EXPECT_EQ(decision.stop(), decision.more == 0);
  end.reason = decision.reason;
  return end;
}

StoppingOptions without_time() {
  StoppingOptions options;
  options.minimum_time_s = 0;
  return options;
}

TEST(StoppingRule, LooksAtFiftyAndThenEachQuarterMore) {
  StoppingOptions options = without_time();
  options.precision = 1e-9;
  const End end = run(options, noisy(160, 0.001, 0.02));
  EXPECT_EQ(end.looks, (std::vector<std::size_t>{5, 50, 63, 79, 99, 124, 155, 160}));
}

TEST(StoppingRule, StopsAtTheSecondNarrowLookInARow) {
  const End end = run(without_time(), noisy(3000, 0.001, 0.0001));
  EXPECT_EQ(end.reason, StopReason::converged);
  EXPECT_EQ(end.n, 63u);
}

TEST(StoppingRule, TakesFewerOfLongSamples) {
  EXPECT_EQ(run(without_time(), noisy(100, 0.2, 0.0001)).n, 13u);
  // Five samples have no interval, so the second and third looks are the first two narrow ones.
  EXPECT_EQ(run(without_time(), noisy(100, 0.5, 0.0001)).n, 13u);
  StoppingOptions long_ones = without_time();
  long_ones.maximum_time_s = 1000;
  EXPECT_EQ(run(long_ones, noisy(100, 2, 0.0001)).n, 9u);
}

TEST(StoppingRule, TakesMoreOfNoisySamples) {
  const End quiet = run(without_time(), noisy(20'000, 1e-4, 0.01));
  const End loud = run(without_time(), noisy(20'000, 1e-4, 0.04));
  EXPECT_EQ(loud.reason, StopReason::converged);
  EXPECT_GT(loud.n, 4 * quiet.n);
}

TEST(StoppingRule, WaitsForEnoughTime) {
  StoppingOptions options;
  options.minimum_time_s = 0.25;
  const End end = run(options, noisy(3000, 0.001, 0.0001));
  EXPECT_EQ(end.reason, StopReason::converged);
  EXPECT_EQ(end.looks[end.looks.size() - 3], 243u);  // 0.243 s: not yet
  EXPECT_EQ(end.n, 380u);
}

TEST(StoppingRule, WantsFourHundredSamplesOrOneSecondForAMean) {
  StoppingOptions options;
  options.statistic = Statistic::mean;
  EXPECT_EQ(run(options, noisy(3000, 0.001, 0.0001)).n, 594u);  // after 475
  EXPECT_EQ(run(options, noisy(3000, 0.021, 0.0001)).n, 63u);   // 50 take 1.05 s
  options.minimum_time_s = 0;
  EXPECT_EQ(run(options, noisy(3000, 0.001, 0.0001)).n, 63u);
}

TEST(StoppingRule, SaysWhenTheClockIsTheLimit) {
  StoppingOptions options = without_time();
  options.tick_s = 1e-6;
  std::vector<double> seconds = noisy(3000, 2e-5, 0.02);
  for (double& value : seconds) value = std::round(value / 1e-6) * 1e-6;
  options.precision = 0.0006;
  EXPECT_EQ(run(options, seconds).reason, StopReason::resolution_limited);
  options.precision = 0.05;
  EXPECT_EQ(run(options, seconds).reason, StopReason::converged);
}

TEST(StoppingRule, NeverClaimsMoreThanClocksCan) {
  StoppingOptions options = without_time();
  options.precision = 0.0001;
  EXPECT_EQ(run(options, noisy(3000, 0.001, 1e-6)).reason, StopReason::resolution_limited);
}

TEST(StoppingRule, EndsAtItsLimits) {
  StoppingOptions options = without_time();
  options.precision = 1e-9;
  options.maximum_samples = 170;
  End end = run(options, noisy(1000, 0.001, 0.02));
  EXPECT_EQ(end.reason, StopReason::max_samples);
  EXPECT_EQ(end.n, 170u);
  options.maximum_samples = 20'000;
  options.maximum_time_s = 0.1005;
  const std::vector<double> seconds = noisy(1000, 0.001, 0.02);
  end = run(options, seconds);
  EXPECT_EQ(end.reason, StopReason::max_time);
  EXPECT_GE(sum(std::span<const double>(seconds).first(end.n)), 0.1005);
  EXPECT_LT(sum(std::span<const double>(seconds).first(end.n - 1)), 0.1005);
}

TEST(StoppingRule, ForgivesACallerWhoOvershootsALook) {
  const std::vector<double> seconds = noisy(3000, 0.001, 0.0001);
  const StoppingRule rule(without_time());
  const std::span<const double> all(seconds);
  EXPECT_EQ(rule.decide(all.first(52), 0.1).more, 11u);
  EXPECT_EQ(rule.decide(all.first(70), 0.1).reason, StopReason::converged);
}

TEST(StoppingRule, DecidesTheSameHoweverOftenItIsAsked) {
  const std::vector<double> seconds = simulate(SimulatedProcess::correlated, 700, 1, 0);
  StoppingOptions options = without_time();
  options.maximum_time_s = 1e9;
  const StoppingRule rule(options);
  std::size_t stopped = 0;
  for (std::size_t n = 0; n <= seconds.size() && stopped == 0; ++n) {
    if (rule.decide(std::span<const double>(seconds).first(n), 1).stop()) stopped = n;
  }
  EXPECT_EQ(stopped, run(options, seconds).n);
}

TEST(StoppingRule, KnowsItsNextLook) {
  const StoppingRule rule(without_time());
  EXPECT_EQ(rule.next_look(0, 0.001), 50u);
  EXPECT_EQ(rule.next_look(50, 0.001), 50u);
  EXPECT_EQ(rule.next_look(51, 0.001), 63u);
  EXPECT_EQ(rule.next_look(1, 0.5), 10u);
  EXPECT_EQ(rule.next_look(6, 1.5), 7u);
}

}  // namespace
}  // namespace assay::statistics
