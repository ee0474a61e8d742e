// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.hpp"
#include "judge/judge_test_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::judge {
namespace {

using testing::HasSubstr;

// Samples of one iteration take 20 ms, of which `cost_s` do not grow.
struct Costly : World {
  std::string id;
  explicit Costly(double cost_s, int rounds = 3, std::size_t pairs = 8) {
    id = planned(suite_case("membw"), {}, rounds);
    for (int r = 1; r <= rounds; ++r) {
      const auto seed = static_cast<std::uint64_t>(r);
      result::Measurement& measurement = visit(id, around(0.02, 50, 1e-4, seed), r).measurement;
      measurement.once_s = around(0.02, pairs, 1e-4, 10 + seed);
      measurement.twice_s = around(0.04 - cost_s, pairs, 1e-4, 20 + seed);
    }
  }
  [[nodiscard]] std::string note(const std::string& code) const {
    const Json all = judged();
    for (const Json& flag : all.at("flags"))
      if (flag.at("code") == code) return flag.at("text");
    return {};
  }
};

TEST(FixedCost, IsPublishedWithItsUnitAndItsInterval) {
  const Json judged = Costly(0.0005).judged();
  const Json& cost = judged.at("measurement").at("fixed_cost");
  EXPECT_NEAR(double(cost.at("value")), 5e-4, 2e-5);
  EXPECT_EQ(cost.at("unit"), "s");
  EXPECT_NEAR(double(cost.at("share")), 0.025, 1e-3);
  EXPECT_EQ(cost.at("interval").at("kind"), "between_process");
  EXPECT_LT(double(cost.at("interval").at("low")), double(cost.at("value")));
  EXPECT_EQ(metric_of(judged, "bandwidth").at("statistic"), "work over time");
  EXPECT_FALSE(metric_of(judged, "bandwidth").contains("whole"));
}

TEST(FixedCost, OfMoreThanATwentiethTakesRatesToTheSlope) {
  const Costly world(0.005);
  const Json judged = world.judged(), bandwidth = metric_of(judged, "bandwidth");
  EXPECT_EQ(bandwidth.at("statistic"), "slope");
  EXPECT_NEAR(double(bandwidth.at("value")), 1e9 / 0.015, 2e8);  // 1 GB in what grows
  ASSERT_EQ(bandwidth.at("whole").size(), 3U);
  EXPECT_NEAR(double(bandwidth.at("whole")[0]), 50e9, 1e8);
  EXPECT_THAT(world.note("fixed_cost"), HasSubstr("by the slope"));
  EXPECT_THAT(world.note("fixed_cost"), HasSubstr("25.0 %"));
  // Who waits for an iteration waits for its start.
  EXPECT_NEAR(double(metric_of(judged, "time").at("value")), 0.02, 1e-4);
}

TEST(FixedCost, OfOneRoundIsInTheIntervalOfItsRate) {
  const Json one = Costly(0.005, 1).judged();
  EXPECT_EQ(one.at("measurement").at("fixed_cost").at("interval").at("kind"), "within_process");
  const Json bandwidth = metric_of(one, "bandwidth"), interval = bandwidth.at("interval");
  EXPECT_EQ(bandwidth.at("statistic"), "slope");
  const double of_samples_alone = 2e-4;
  EXPECT_GT(double(interval.at("high")) - double(interval.at("low")),
            4 * of_samples_alone * double(bandwidth.at("value")));
}

TEST(FixedCost, ThatChanceExplainsChangesNothing) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {}, 3);
  for (int r = 1; r <= 3; ++r) {
    result::Measurement& measurement = world.visit(id, World::around(0.02), r).measurement;
    measurement.once_s = World::around(0.02, 8, 0.2, static_cast<std::uint64_t>(r));
    measurement.twice_s = World::around(0.037, 8, 0.2, static_cast<std::uint64_t>(9 + r));
  }
  EXPECT_EQ(metric_of(world.judged(), "bandwidth").at("statistic"), "work over time");
}

// A slope from it would be any number.
TEST(FixedCost, ThatMayBeAWholeSampleLeavesRatesOfWholeSamples) {
  for (const int rounds : {1, 2}) {
    Costly world(0.015, rounds);
    for (result::Visit& visit : world.visits) visit.measurement.once_s[0] += 0.004;
    const Json judged = world.judged();
    EXPECT_TRUE(judged.at("measurement").contains("fixed_cost"));
    EXPECT_EQ(metric_of(judged, "bandwidth").at("statistic"), "work over time") << rounds;
  }
}

TEST(FixedCost, OfTimeThatWasNotSeenToGrowEvenlyLeavesRatesOfWholeSamples) {
  Costly world(0.005);
  world.visits[1].measurement.flags = {"uneven_time"};
  const Json bandwidth = metric_of(world.judged(), "bandwidth");
  EXPECT_EQ(bandwidth.at("statistic"), "work over time");
  EXPECT_FALSE(bandwidth.contains("whole"));
}

TEST(FixedCost, IsUnknownWherePairsTookLongerThanTheSamples) {
  Costly world(0.02);
  for (result::Visit& visit : world.visits)
    for (double& seconds : visit.measurement.once_s) seconds += 0.01;
  EXPECT_FALSE(world.judged().at("measurement").contains("fixed_cost"));
}

TEST(FixedCost, IsUnknownWhereSamplesWereNotTested) {
  EXPECT_FALSE(Costly(0.005, 1, 3).judged().at("measurement").contains("fixed_cost"));
  Costly untested(0.005);
  untested.visits[1].measurement.once_s.clear();
  untested.visits[1].measurement.twice_s.clear();
  const Json judged = untested.judged();
  EXPECT_FALSE(judged.at("measurement").contains("fixed_cost"));
  EXPECT_EQ(metric_of(judged, "bandwidth").at("statistic"), "work over time");
}

TEST(Mean, StandsBesideAMedianThatIsAnotherNumber) {
  for (const double slow_s : {0.02, 0.2}) {
    World world;
    const std::string id = world.planned(world.suite_case("membw"), {}, 3);
    for (int r = 1; r <= 3; ++r) {
      std::vector<double> samples = World::around(0.02, 50, 1e-3, static_cast<std::uint64_t>(r));
      for (std::size_t i = 0; i < samples.size(); i += 10) samples[i] = slow_s;
      world.visit(id, samples, r);
    }
    const Json time = metric_of(world.judged(), "time");
    EXPECT_NEAR(double(time.at("value")), 0.02, 1e-4);
    EXPECT_EQ(time.contains("mean"), slow_s > 0.1);
    if (time.contains("mean")) {
      EXPECT_NEAR(double(time.at("mean")), 0.038, 1e-3);
    }
    EXPECT_FALSE(metric_of(world.judged(), "bandwidth").contains("mean")) << "a rate is one by itself";
  }
}

}  // namespace
}  // namespace assay::judge
