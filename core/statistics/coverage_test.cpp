// SPDX-License-Identifier: Apache-2.0
//
// 95 % means 95 %, in small: docs/explanation/proof.md has the figures from thousands of series.
#include "statistics/stopping.hpp"
#include "statistics/summary.hpp"
#include "statistics/testing/simulation.hpp"
#include "text/testing/folders.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace assay::statistics {
namespace {

constexpr std::size_t kTraces = 300;

struct CoverageCase {
  const char* name;
  SimulatedProcess process;
  double at_least;
};

// The design's target, less two standard errors of 300 traces.
constexpr CoverageCase kCases[] = {{"Independent", SimulatedProcess::iid, 0.93 - 0.03},
                                   {"Spiky", SimulatedProcess::spiky, 0.93 - 0.03},
                                   {"Lognormal", SimulatedProcess::lognormal, 0.93 - 0.03},
                                   {"Correlated", SimulatedProcess::correlated, 0.92 - 0.03},
                                   {"VeryCorrelated", SimulatedProcess::very_correlated, 0.86 - 0.04},
                                   {"TwoState", SimulatedProcess::two_state, 0.86 - 0.04},
                                   {"Quantised", SimulatedProcess::quantised, 0.93 - 0.03}};

class Coverage : public testing::TestWithParam<CoverageCase> {};

INSTANTIATE_TEST_SUITE_P(, Coverage, testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.name; });

double truth(SimulatedProcess process, Statistic statistic) {
  return statistic == Statistic::median ? truth_of(process).median : truth_of(process).mean;
}

TEST_P(Coverage, OfTwoHundredSamplesIsNominal) {
  for (const Statistic statistic : {Statistic::median, Statistic::mean}) {
    double covered = 0;
    for (std::size_t trace = 0; trace < kTraces; ++trace) {
      const SampleEstimate found = estimate(simulate(GetParam().process, 200, 5, trace), statistic, 0);
      covered += found.interval->contains(truth(GetParam().process, statistic));
    }
    EXPECT_GE(covered / kTraces, GetParam().at_least) << to_string(statistic);
    // An interval that always covers says nothing; but where a median lies within a tick nobody knows.
    if (GetParam().process == SimulatedProcess::quantised && statistic == Statistic::median) continue;
    EXPECT_LE(covered / kTraces, 0.995) << to_string(statistic);
  }
}

TEST_P(Coverage, SurvivesTheStoppingRule) {
  for (const Statistic statistic : {Statistic::median, Statistic::mean}) {
    StoppingOptions options;
    options.statistic = statistic;
    options.precision = GetParam().process == SimulatedProcess::lognormal ? 0.04 : 0.01;
    double covered = 0;
    double converged = 0;
    for (std::size_t trace = 0; trace < kTraces; ++trace) {
      std::vector<double> seconds = simulate(GetParam().process, 3000, 6, trace);
      const double unit = 0.001 / truth(GetParam().process, Statistic::mean);
      for (double& value : seconds) value *= unit;
      if (GetParam().process == SimulatedProcess::quantised) options.tick_s = unit;
      const StoppingRule rule(options);
      const std::span<const double> all(seconds);
      std::size_t n = 0;
      Decision decision = rule.decide({}, 0);
      while (!decision.stop() && n < all.size()) {
        n = std::min<std::size_t>(all.size(), n + decision.more);
        decision = rule.decide(all.first(n), sum(all.first(n)));
      }
      const SampleEstimate found = estimate(all.first(n), statistic, options.tick_s);
      covered += found.interval->contains(unit * truth(GetParam().process, statistic));
      converged +=
          decision.reason == StopReason::converged || decision.reason == StopReason::resolution_limited;
    }
    EXPECT_GE(covered / kTraces, GetParam().at_least) << to_string(statistic);
    EXPECT_GE(converged / kTraces, 0.95) << to_string(statistic);
  }
}

// Durations of consecutive samples, in ticks of 32 ns; tests/fixtures/traces/README.md says what they are.
std::vector<double> recorded(const std::string& name) {
  std::ifstream file(source_folder() / ("tests/fixtures/traces/" + name));
  std::vector<double> ticks;
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with('#')) ticks.push_back(std::stod(line));
  }
  return ticks;
}

TEST(RecordedSeries, UnderAPowerLimitIsKnownFromItsMeanOverSeconds) {
  const std::vector<double> whole = recorded("gemm_8192_sustained.csv");
  ASSERT_EQ(whole.size(), 2498u);
  const std::span<const double> steady = std::span<const double>(whole).subspan(300);
  const double truth = mean(steady);
  int covered = 0;
  int starts = 0;
  for (std::size_t start = 0; start + 200 <= steady.size(); start += 100, ++starts) {  // 2 s each
    covered += block_mean(steady.subspan(start, 200)).interval->contains(truth);
  }
  EXPECT_GE(covered, 0.86 * starts);
}

TEST(RecordedSeries, OfAllReduceHasSlowStepsUnderItsNoise) {
  const std::vector<double> whole = recorded("allreduce_1MiB.csv");
  const std::span<const double> steady = std::span<const double>(whole).subspan(600);
  const double truth = median(steady);
  int covered = 0;
  int starts = 0;
  for (std::size_t start = 0; start + 1600 <= steady.size(); start += 400, ++starts) {  // 0.25 s each
    covered += median_interval(steady.subspan(start, 1600))->contains(truth);
  }
  EXPECT_GE(covered, 0.86 * starts);
}

}  // namespace
}  // namespace assay::statistics
