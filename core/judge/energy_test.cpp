// SPDX-License-Identifier: Apache-2.0
//
// Energy of an iteration, from a counter that is read beside the samples.
#include "judge/energy.hpp"

#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::judge {
namespace {

constexpr double kBegin_s = 1000;

// 100 samples of two iterations each, back to back, of 50 ms; a device that takes this many watts, read ten times a
// second from a second before the samples to a second after.
result::Visit visit_of(double watts, const std::string& device = "host:0") {
  result::Visit visit;
  visit.measurement.first_sample_at_s = kBegin_s;
  result::RankRecord rank;
  rank.series.iterations = 2;
  for (int i = 0; i < 100; ++i) {
    rank.series.begin_s.push_back(0.05 * i);
    rank.series.host_s.push_back(0.05);
    rank.series.device_s.push_back(0.05);
  }
  visit.ranks = {rank};
  for (int i = -10; i <= 60; ++i) {
    // Idle outside of the samples.
    const double at_s = 0.1 * i, busy_s = std::clamp(at_s, 0.0, 5.0);
    visit.telemetry.push_back(
        {kBegin_s + at_s, device, "energy", 5e5 + watts * busy_s + 50 * (at_s - busy_s)});
  }
  return visit;
}

TEST(Energy, OfAnIterationIsTheDifferenceAmongTheSamples) {
  const auto energy = energy_of(visit_of(600), {"host:0"});
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->per_iteration_J, 600 * 0.025, 0.01) << "40 iterations a second";
  EXPECT_NEAR(energy->uncertainty_J, 600 * 0.025 * 2 / 50, 0.1) << "50 steps, and both ends as old as one";
}

TEST(Energy, OfSeveralDevicesAddsUp) {
  result::Visit visit = visit_of(600);
  const result::Visit other = visit_of(200, "host:1");
  visit.telemetry.insert(visit.telemetry.end(), other.telemetry.begin(), other.telemetry.end());
  EXPECT_NEAR(energy_of(visit, {"host:0", "host:1"})->per_iteration_J, 800 * 0.025, 0.01);
  EXPECT_FALSE(energy_of(visit, {"host:0", "host:2"})) << "one that has no counter";
}

TEST(Energy, OfSamplesWithGapsHoldsTheGaps) {
  result::Visit visit = visit_of(600);
  for (std::size_t i = 0; i < 100; ++i) visit.ranks[0].series.host_s[i] = 0.025;
  EXPECT_NEAR(energy_of(visit, {"host:0"})->per_iteration_J, 600 * 0.025, 0.2);
}

TEST(Energy, IsNotKnownFromACounterThatHardlyMovedOrWasReset) {
  result::Visit slow = visit_of(600);
  for (result::Reading& reading : slow.telemetry) reading.value = std::floor(reading.value / 1000) * 1000;
  EXPECT_FALSE(energy_of(slow, {"host:0"})) << "three steps";
  result::Visit reset = visit_of(600);
  for (std::size_t i = 40; i < reset.telemetry.size(); ++i) reset.telemetry[i].value -= 5e5;
  EXPECT_FALSE(energy_of(reset, {"host:0"}));
  result::Visit simulated = visit_of(600);
  simulated.measurement.first_sample_at_s = 0;
  EXPECT_FALSE(energy_of(simulated, {"host:0"}));
}

Json judged_with(const std::string& expectation) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {expectation}), {});
  result::Visit& visit = world.visit(id, World::around(0.05, 100));
  const result::Visit from = visit_of(600);
  visit.measurement.first_sample_at_s = kBegin_s;
  visit.ranks[0].series.begin_s = from.ranks[0].series.begin_s;
  visit.telemetry = from.telemetry;
  return world.judged();
}

TEST(Energy, IsAMetricThatCanBeJudged) {
  const Json judged = judged_with("energy_per_iteration <= 40 J");
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "passed");
  EXPECT_EQ(judged_with("energy_per_iteration <= 20 J").at("expectations").at(0).at("status"), "failed");
  bool found = false;
  for (const Json& metric : judged.at("metrics")) {
    if (metric.at("name") != "energy_per_iteration") continue;
    found = true;
    EXPECT_EQ(metric.at("unit"), "J");
    EXPECT_NEAR(metric.at("value").get<double>(), 30, 0.1);
    EXPECT_LT(metric.at("interval").at("low").get<double>(), 29.5);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace assay::judge
