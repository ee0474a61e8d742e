// SPDX-License-Identifier: Apache-2.0
//
// Every metric has an interval or says why it has none, and none is narrower than the clock allows.
#include "judge/case_result.hpp"
#include "judge/judge_test_world.hpp"
#include "result/reasons.hpp"
#include "statistics/estimate.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

using catalog::Direction;
using catalog::MetricKind;

// What a metric says of its missing interval; "" if it has one.
std::string why_none(const Json& metric) {
  if (!metric.at("interval").is_null()) {
    EXPECT_EQ(metric.at("no_interval"), nullptr);
    return {};
  }
  const std::string code = metric.at("no_interval").at("code");
  EXPECT_NE(result::find_reason(code), nullptr) << code;
  // What is seen as it is needs none, and its code says so.
  EXPECT_EQ(metric.at("no_interval").value("text", "").empty(), code == kSeenAsItIs);
  return code;
}

Json metric_after(const std::vector<std::vector<double>>& rounds, const std::string& name = "bandwidth") {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {}, static_cast<int>(rounds.size()));
  int number = 0;
  for (const std::vector<double>& samples : rounds) world.visit(id, samples, ++number);
  return metric_of(world.judged(), name);
}

TEST(Intervals, OfSamplesThatAreTooFewSayThat) {
  EXPECT_EQ(why_none(metric_after({{0.02}})), kFewSamples);
  EXPECT_EQ(why_none(metric_after({World::around(0.02, 5)}, "time")), kFewSamples);
  EXPECT_EQ(why_none(metric_after({World::around(0.02, 50), World::around(0.02, 5)})), kFewSamples);
  EXPECT_EQ(why_none(metric_after({World::around(0.02, 6)})), "");
}

TEST(Intervals, ThatWouldHaveNoEndSayThat) {
  // Three samples of seven are a hundred times as long: the mean time may as well be zero.
  const std::vector<double> scattered = {0.001, 0.3, 0.001, 0.001, 0.4, 0.001, 0.001};
  EXPECT_EQ(why_none(metric_after({scattered})), kNoEnd);
  EXPECT_EQ(why_none(metric_after({scattered}, "time")), "") << "ranks of samples end somewhere";
}

TEST(Intervals, OfObservationsAreNotNeeded) {
  const auto recorded = [](const std::vector<double>& values) {
    World world;
    const std::string id = world.planned(world.suite_case("membw"), {}, static_cast<int>(values.size()));
    int number = 0;
    for (const double value : values)
      world.visit(id, World::around(0.02), ++number).ranks[0].values = {{"memory", {}, value}};
    return why_none(metric_of(world.judged(), "memory"));
  };
  EXPECT_EQ(recorded({5e9}), kSeenAsItIs);
  EXPECT_EQ(recorded({5e9, 6e9}), kSeenAsItIs);
  EXPECT_EQ(recorded({5e9, 5e9, 5e9}), kOneValue);
  EXPECT_EQ(recorded({5e9, 6e9, 7e9}), "");
  EXPECT_EQ(recorded({-1e308, -1.7e308, 1e307}), kNoEnd) << "its ends are no numbers";
}

// What a command prints, `measured` or observed, one value a sample.
Json metric_printed(const std::vector<double>& values, bool measured) {
  World world;
  catalog::MetricDeclaration v =
      World::metric("v", "s", Direction::none, measured ? MetricKind::duration : MetricKind::value);
  v.reported = true;
  v.measured = measured;
  world.manifest.benchmarks.front().metrics.push_back(v);
  const std::string id = world.planned(world.suite_case("membw"), {});
  result::Visit& visit = world.visit(id, World::around(0.02, values.size()));
  for (const double value : values) visit.ranks[0].values.push_back({"v", {}, value});
  return metric_of(world.judged(), "v");
}

TEST(Intervals, OfAConstantThatACommandPrintsAreNotTheClocksAccuracy) {
  const std::vector<double> twenty(20, 333332833333500032.0);
  EXPECT_EQ(why_none(metric_printed(twenty, false)), kOneValue);
  EXPECT_EQ(why_none(metric_printed(twenty, true)), kOneValue);
  EXPECT_EQ(metric_printed(twenty, false).at("verdict_interval").at("low"), 333332833333500032.0);
  EXPECT_EQ(why_none(metric_printed({1, 2, 3}, true)), kFewSamples);
  EXPECT_EQ(why_none(metric_printed({1, 2, 3, 1, 2, 3, 2}, true)), "");
}

TEST(Intervals, OfDerivedQuantitiesTakeThreeRounds) {
  const auto derived = [](int rounds) {
    World world;
    world.suite.derive = {{{"half", {}}, World::parse("bandwidth / 2"), "bandwidth / 2"}};
    const std::string id = world.planned(world.suite_case("membw"), {}, rounds);
    for (int round = 1; round <= rounds; ++round)
      world.visit(id, World::around(0.02, 50, 0.001, round), round);
    return why_none(metric_of(world.judged(), "half"));
  };
  EXPECT_EQ(derived(1), kOfFewRounds);
  EXPECT_EQ(derived(3), "");
}

TEST(Intervals, OverRoundsAreNoNarrowerThanTheClockIsAccurate) {
  for (const char* name : {"bandwidth", "time"}) {
    // The same samples in each round, and rounds that are 0.002 % apart.
    for (const double apart : {0.0, 2e-5}) {
      const Json metric = metric_after(
          {World::around(0.02), World::around(0.02 * (1 + apart)), World::around(0.02 * (1 - apart))}, name);
      const double value = metric.at("value"), low = metric.at("interval").at("low"),
                   high = metric.at("interval").at("high");
      EXPECT_LE(low, value * (1 - statistics::kTimingAccuracy) * (1 + 1e-12)) << name;
      EXPECT_GE(high, value * (1 + statistics::kTimingAccuracy) * (1 - 1e-12)) << name;
      EXPECT_LE(double(metric.at("verdict_interval").at("low")), low);
    }
  }
}

TEST(Intervals, OfDerivedTimesAreNoNarrowerEither) {
  World world;
  world.suite.derive = {{{"half", {}}, World::parse("bandwidth / 2"), "bandwidth / 2"}};
  const std::string id =
      world.planned(world.suite_case("membw", {"half >= 25 GB/s", "bandwidth >= 49.99 GB/s"}), {}, 3);
  for (int round = 1; round <= 3; ++round) world.visit(id, std::vector<double>(50, 0.02), round);
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "undecided")
      << "25 GB/s to the last digit is not known";
  EXPECT_EQ(judged.at("expectations").at(1).at("status"), "undecided");
}

TEST(Headlines, AreTheTimeWhereNothingElseLeads) {
  World world;
  world.manifest.benchmarks.front().metrics.clear();
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.02)).work.clear();
  EXPECT_EQ(metric_of(world.judged(), "time").at("headline"), true);
  EXPECT_EQ(metric_after({World::around(0.02)}, "time").at("headline"), false);
  World command;
  const std::string other = command.planned(command.suite_case("membw"), {});
  command.case_of(other).external = {{"arguments", {"true"}}, {"metrics", Json::array()}};
  command.visit(other, World::around(0.02));
  EXPECT_EQ(metric_of(command.judged(), "time").at("headline"), true)
      << "a command's time, whatever else it prints";
}

}  // namespace
}  // namespace assay::judge
