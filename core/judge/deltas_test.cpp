// SPDX-License-Identifier: Apache-2.0
#include "judge/deltas.hpp"

#include "judge/across_rounds.hpp"
#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// Row against reference, both over some rounds with a given standard deviation between them.
struct DeltaPair {
  World world;
  std::string reference, row;
  DeltaPair(double factor, int rounds, double between, std::uint64_t seed = 1) {
    const std::size_t written = world.suite_case("membw");
    reference = world.planned(written, {{"kernel", "copy"}}, rounds);
    row = world.planned(written, {{"kernel", "triad"}}, rounds);
    for (plan::PlannedCase& each : world.plan.cases) {
      each.reference = reference;
      each.has_reference_key = true;
    }
    statistics::Random random(seed);
    for (int r = 1; r <= rounds; ++r) {
      const auto stream = seed * 1000 + static_cast<std::uint64_t>(r);
      world.visit(reference, World::around(0.02 * (1 + between * random.normal()), 50, 0.001, stream), r);
      world.visit(row,
                  World::around(0.02 * factor * (1 + between * random.normal()), 50, 0.001, stream + 500), r);
    }
  }
  [[nodiscard]] Json delta(const std::string& metric = "bandwidth") const {
    return metric_of(world.judged(row), metric).at("delta");
  }
};

TEST(Deltas, ReferToTheReferenceRowInTheMetricsDirection) {
  const DeltaPair slow(1.1, 1, 0);
  EXPECT_EQ(slow.delta().at("verdict"), "worse");
  EXPECT_EQ(slow.delta().at("reference"), "membw[kernel=copy]");
  EXPECT_NEAR(double(slow.delta().at("ratio")), 1 / 1.1, 0.002);
  EXPECT_EQ(slow.delta("time").at("verdict"), "worse");
  EXPECT_NEAR(double(slow.delta("time").at("ratio")), 1.1, 0.002);
  EXPECT_EQ(DeltaPair(0.9, 1, 0).delta().at("verdict"), "better");
  EXPECT_EQ(metric_of(slow.world.judged(slow.reference), "bandwidth").at("delta"), nullptr);
}

TEST(Deltas, OneRoundCannotTellSmallChangesFromRunToRunVariation) {
  EXPECT_EQ(DeltaPair(1.0, 1, 0).delta().at("verdict"), "same") << "two allowances of 1 % are less than 2 %";
  EXPECT_EQ(DeltaPair(1.01, 1, 0).delta().at("verdict"), "undecided");
  EXPECT_EQ(DeltaPair(1.03, 1, 0).delta().at("verdict"), "undecided");
}

TEST(Deltas, ManyRoundsProveSamenessAndSmallChanges) {
  EXPECT_EQ(DeltaPair(1.0, 6, 0.003).delta().at("verdict"), "same");
  EXPECT_EQ(DeltaPair(1.05, 6, 0.003).delta().at("verdict"), "worse");
  EXPECT_EQ(DeltaPair(1.02, 6, 0.003).delta().at("verdict"), "small");
}

TEST(Deltas, AreNotGivenAgainstARowWithoutResult) {
  DeltaPair pair(1.1, 1, 0);
  pair.world.visits[0].outcome = result::Outcome::crashed;
  EXPECT_EQ(pair.delta(), nullptr);
}

// What across_rounds makes of rounds whose own intervals are narrow against the variation between them.
MetricResult simulated(statistics::Random& random, int rounds, double between, double truth = 100) {
  MetricResult metric;
  metric.direction = catalog::Direction::higher;
  std::vector<RoundValue> values;
  for (int r = 0; r < rounds; ++r) {
    RoundValue value;
    value.value = truth * (1 + between * random.normal());
    value.interval = ValueRange{value.value * 0.999, value.value * 1.001};
    value.samples = {value.value * 0.99, value.value * 1.01};
    value.n = 50;
    values.push_back(value);
  }
  across_rounds(values, 0.01, 0.95, metric);
  return metric;
}

struct Alarms {
  int suites = 0;
  int with_alarm = 0;
};

// Suites of 50 cases in which nothing differs and every limit holds by 2 %.
Alarms simulate_suites(int rounds, double between, int suites, std::uint64_t seed) {
  statistics::Random random(seed);
  std::vector<int> numbers;
  for (int r = 1; r <= rounds; ++r) numbers.push_back(r);
  Alarms alarms;
  for (; alarms.suites < suites; ++alarms.suites) {
    bool alarm = false;
    for (int c = 0; c < 50; ++c) {
      const MetricResult row = simulated(random, rounds, between);
      const MetricResult reference = simulated(random, rounds, between);
      const auto delta = compare_metric(row, numbers, reference, numbers);
      alarm = alarm ||
              (delta && (delta->verdict == DeltaVerdict::better || delta->verdict == DeltaVerdict::worse));
      const Estimate measured{row.value, row.verdict_interval, {}};
      alarm = alarm || compare(measured, ComparisonOperator::greater_equal, exact(98, {})) == Truth::no;
    }
    alarms.with_alarm += alarm;
  }
  return alarms;
}

TEST(Deltas, RaiseAtMostOnePercentFalseAlarmsInSuitesOfFiftyCases) {
  struct Design {
    int rounds;
    double between;
  };
  // One or two rounds rely on the allowance of 1 %, which stands for a machine with up to 0.5 % between runs.
  for (const Design design : {Design{1, 0.005}, {2, 0.005}, {5, 0.01}, {10, 0.02}}) {
    const Alarms alarms = simulate_suites(design.rounds, design.between, 1000, 17);
    EXPECT_LE(alarms.with_alarm, 10) << design.rounds << " rounds, " << design.between << " between runs";
  }
}

TEST(Deltas, FindAChangeOfFourPercentWithTenRounds) {
  statistics::Random random(23);
  std::vector<int> numbers;
  for (int r = 1; r <= 10; ++r) numbers.push_back(r);
  int found = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const MetricResult row = simulated(random, 10, 0.0075, 96);
    const MetricResult reference = simulated(random, 10, 0.0075);
    found += compare_metric(row, numbers, reference, numbers)->verdict == DeltaVerdict::worse;
  }
  EXPECT_GE(found, 475);
}

}  // namespace
}  // namespace assay::judge
