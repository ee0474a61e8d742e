// SPDX-License-Identifier: Apache-2.0
#include "judge/device_health.hpp"

#include "judge/judge_test_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// One case on host:0, and what was read of it.
struct OnDevice {
  World world;
  std::string id;

  explicit OnDevice(const std::vector<std::string>& expectations = {}, int rounds = 1) {
    id = world.planned(world.suite_case("membw", expectations), {}, rounds);
    for (int round = 1; round <= rounds; ++round) {
      world.visit(id, World::around(0.02), round);
      world.inventory.backends[0].devices[0].facts["serial"] = "S-17";
    }
  }
  result::Visit& visit(std::size_t at = 0) { return world.visits[at]; }
  OnDevice& counter(const std::string& name, const std::vector<double>& values, std::size_t at = 0) {
    double at_s = 1;
    for (const double value : values) visit(at).telemetry.push_back({at_s++, "host:0", name, value});
    return *this;
  }
  OnDevice& reason(const std::string& text) {
    visit().throttle.push_back({1, "host:0", text});
    return *this;
  }
  [[nodiscard]] Json judged() const { return world.judged(); }
  [[nodiscard]] std::string status(std::size_t at = 0) const {
    return judged().at("expectations").at(at).at("status");
  }
};

std::string text_of_flag(const Json& judged, const std::string& code) {
  for (const Json& flag : judged.at("flags"))
    if (flag.at("code") == code) return flag.at("text");
  return {};
}

TEST(Counters, AreWhatWasAddedInAVisit) {
  const Json judged =
      OnDevice({"energy <= 60 J", "energy >= 61 J"}).counter("energy", {1000, 1020, 1060}).judged();
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "passed");
  EXPECT_EQ(judged.at("expectations").at(1).at("status"), "failed");
  const Json& row = judged.at("telemetry").at(0);
  EXPECT_EQ(row.at("added"), 60);
  EXPECT_EQ(row.at("kind"), "counter");
  EXPECT_EQ(row.at("unit"), "J");
  EXPECT_EQ(row.at("mean"), nullptr);
  EXPECT_EQ(row.at("during"), "visit");
}

TEST(Counters, AreAddedOverRoundsAndJudgedRoundByRound) {
  OnDevice told({"energy <= 50 J", "energy <= 30 J"}, 2);
  const Json judged = told.counter("energy", {0, 20}).counter("energy", {100, 140}, 1).judged();
  EXPECT_EQ(judged.at("telemetry").at(0).at("added"), 60);
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "passed");
  EXPECT_EQ(judged.at("expectations").at(1).at("status"), "failed");
}

TEST(Counters, ThatWentDownAreToldAndNotNegative) {
  const Json judged = OnDevice({"energy >= 0 J"}).counter("energy", {500, 510, 3, 9}).judged();
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "not_judged");
  EXPECT_EQ(judged.at("outcome"), "failed");
  EXPECT_EQ(judged.at("telemetry").at(0).at("added"), nullptr);
  EXPECT_THAT(text_of_flag(judged, "counter_reset"), HasSubstr("energy fell from 510 to 3"));
}

TEST(Counters, ThatWereReadOnceSayNothing) {
  EXPECT_EQ(OnDevice({"energy >= 0 J"}).counter("energy", {500}).status(), "not_judged");
}

TEST(Counters, AreReckonedWithAsWhatWasAdded) {
  OnDevice told({"per_byte <= 1 J"});
  suite::Derive derive;
  derive.name.value = "per_byte";
  derive.text = "energy / 100";
  derive.expression = World::parse(derive.text);
  told.world.suite.derive = {derive};
  const Json judged = told.counter("energy", {900, 1000}).judged();
  EXPECT_NEAR(double(metric_of(judged, "per_byte").at("value")), 1, 1e-12);
}

TEST(Telemetry, ThatIsMissingInARoundIsNotJudged) {
  OnDevice told({"power <= 700 W"}, 2);
  told.counter("power", {300});
  EXPECT_EQ(told.status(), "not_judged");
  EXPECT_THAT(told.judged().at("reason").at("text").get<std::string>(),
              HasSubstr("'power' was not read on host:0 in round 2"));
  told.counter("power", {300}, 1);
  EXPECT_EQ(told.status(), "passed");
}

TEST(Telemetry, ThatADeviceDoesNotHaveIsLeftOutAndSaysSo) {
  OnDevice told({"errors == 0", "bandwidth >= 1 GB/s"});
  EXPECT_EQ(told.status(), "not_judged") << "missing, and nobody says why";
  told.world.inventory.backends[0].devices[0].lacks = {"errors"};
  const Json judged = told.judged();
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "not_available");
  EXPECT_EQ(judged.at("outcome"), "passed");
  EXPECT_EQ(text_of_flag(judged, "not_available"), "errors == 0 is left out: host:0 has no 'errors'");
}

TEST(Telemetry, ThatNoDeviceHasIsSaidInTheVerdict) {
  OnDevice told({"errors == 0"});
  told.world.inventory.backends[0].devices[0].lacks = {"errors"};
  const auto verdict = [&] { return told.world.document().at("verdict"); };
  EXPECT_EQ(verdict().at("exit_code"), 0);
  const Json reason = verdict().at("reasons").at(0);
  EXPECT_EQ(reason.at("code"), "not_available");
  EXPECT_EQ(reason.at("severity"), "warning");
  EXPECT_EQ(reason.at("text"), "errors == 0 was not judged: host:0 has no 'errors'");
  told.world.options.strict = true;
  EXPECT_EQ(verdict().at("exit_code"), 6);
  EXPECT_EQ(verdict().at("outcome"), "unmet");
  EXPECT_EQ(verdict().at("reasons").at(0).at("severity"), "unmet");
}

TEST(Telemetry, ThatOneOfTwoDevicesHasIsJudgedByThatOne) {
  OnDevice told({"power <= 700 W"});
  told.world.plan.cases[0].placement.ranks[0].devices.emplace_back("host:1");
  told.world.inventory.backends[0].devices[1].lacks = {"power"};
  told.counter("power", {900});
  EXPECT_EQ(told.status(), "failed");
}

TEST(Telemetry, ThatFailedIsToldAndNothingIsJudgedByIt) {
  OnDevice told({"power <= 700 W"});
  told.counter("power", {300});
  told.visit().telemetry_problem = "no telemetry from plugin 'x': no answer";
  const Json judged = told.judged();
  EXPECT_EQ(judged.at("telemetry_problem"), "no telemetry from plugin 'x': no answer");
  EXPECT_EQ(text_of_flag(judged, "telemetry_failed"), "no telemetry from plugin 'x': no answer");
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "not_judged");
  OnDevice heated;
  heated.counter("power", {300});
  heated.world.plan.cases[0].measure.throttle = plan::Throttle::fail;
  EXPECT_EQ(heated.judged().at("outcome"), "passed");
  heated.visit().telemetry_problem = "telemetry ended";
  EXPECT_EQ(heated.judged().at("reason").at("code"), "expectation.not-judged");
}

TEST(Faults, FailACaseWhateverTheSuiteSays) {
  const Json judged = OnDevice().reason("xid_79").judged();
  EXPECT_EQ(judged.at("outcome"), "failed");
  const Json& reason = judged.at("reason");
  EXPECT_EQ(reason.at("code"), "device.fault");
  EXPECT_EQ(reason.at("text"), "host:0 (serial S-17): xid_79 (fell off the bus)");
  EXPECT_EQ(reason.at("domain"), "xid");
  EXPECT_EQ(reason.at("number"), 79);
  EXPECT_EQ(reason.at("device"), "host:0");
}

TEST(Faults, ThatAreKnownToBeHarmlessAreTold) {
  const Json judged = OnDevice().reason("xid_13").judged();
  EXPECT_EQ(judged.at("outcome"), "passed");
  EXPECT_EQ(text_of_flag(judged, "device_told"), "host:0: xid_13");
}

TEST(Faults, GoBeforeWhatTheyCaused) {
  OnDevice told;
  told.reason("xid_79");
  told.visit().outcome = result::Outcome::crashed;
  told.visit().reason = {"worker.signal", "ended with signal 11", "", 11, "sample", 0, "", ""};
  const Json judged = told.judged();
  EXPECT_EQ(judged.at("outcome"), "crashed");
  EXPECT_EQ(judged.at("reason").at("code"), "device.fault");
  EXPECT_THAT(judged.at("reason").at("text").get<std::string>(),
              testing::AllOf(HasSubstr("xid_79"), HasSubstr("ended with signal 11")));
}

TEST(Faults, AreErrorsThatWereCounted) {
  const Json judged = OnDevice().counter("errors", {4, 6}).judged();
  EXPECT_EQ(judged.at("outcome"), "failed");
  EXPECT_EQ(judged.at("reason").at("code"), "device.errors");
  EXPECT_THAT(judged.at("reason").at("text").get<std::string>(),
              StartsWith("host:0 (serial S-17): errors grew by 2"));
  EXPECT_EQ(OnDevice().counter("errors", {4, 4}).judged().at("outcome"), "passed")
      << "they were there before";
}

// Under `throttle: cooldown` the second attempt of a round replaces the first.
struct ReplacedAttempt : OnDevice {
  ReplacedAttempt() : OnDevice({"errors <= 1"}) {
    world.visit(id, World::around(0.02));
    visit(1).attempt = 2;
    counter("errors", {4, 4}, 1);
  }
};

TEST(Faults, InAnAttemptThatWasReplacedCount) {
  EXPECT_EQ(ReplacedAttempt().judged().at("outcome"), "passed");
  EXPECT_EQ(ReplacedAttempt().reason("xid_79").judged().at("reason").at("code"), "device.fault");
  EXPECT_EQ(text_of_flag(ReplacedAttempt().reason("xid_13").judged(), "device_told"), "host:0: xid_13");
  const Json counted = ReplacedAttempt().counter("errors", {4, 6}).judged();
  EXPECT_EQ(counted.at("reason").at("code"), "device.errors");
  EXPECT_EQ(counted.at("expectations").at(0).at("status"), "failed");
  EXPECT_EQ(counted.at("telemetry").at(0).at("added"), 2);
  EXPECT_EQ(ReplacedAttempt().counter("errors", {4}).judged().at("outcome"), "passed")
      << "it may have died first";
  EXPECT_EQ(ReplacedAttempt()
                .counter("energy", {0, 50})
                .counter("energy", {50, 60}, 1)
                .judged()
                .at("telemetry")
                .at(1)
                .at("added"),
            10)
      << "which no error is";
}

TEST(Faults, ThatWereRepairedAreTold) {
  const Json judged = OnDevice().counter("repairs", {4, 6}).counter("pending", {1}).judged();
  EXPECT_EQ(judged.at("outcome"), "passed");
  EXPECT_EQ(text_of_flag(judged, "device_told"), "host:0: repairs grew by 2; host:0: pending is 1");
}

TEST(SharedDevices, MakeACaseInvalidBeforeItsExpectations) {
  OnDevice told({"bandwidth >= 900 GB/s"});
  told.world.suite.cases[0].expect[0].say = "Look at the cooling.";
  told.reason("used_by_4711");
  const Json judged = told.judged();
  EXPECT_EQ(judged.at("outcome"), "invalid");
  EXPECT_EQ(judged.at("reason").at("code"), "device.shared");
  EXPECT_THAT(judged.at("reason").at("text").get<std::string>(),
              HasSubstr("used_by_4711 (somebody else) in 100 %"));
  EXPECT_TRUE(judged.at("metrics").empty());
  const Json first = told.world.document().at("verdict").at("reasons").at(0);
  EXPECT_EQ(first.at("code"), "device.shared");
  EXPECT_EQ(first.dump().find("cooling"), std::string::npos);
}

TEST(SharedDevices, GoFirstInTheVerdict) {
  OnDevice told({"bandwidth >= 900 GB/s"});
  const std::string other = told.world.planned(told.world.suite_case("other"), {});
  told.world.visit(other, World::around(0.02)).throttle = {{1, "host:0", "used_by_1"}};
  const Json reasons = told.world.document().at("verdict").at("reasons");
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons.at(0).at("code"), "device.shared");
  EXPECT_EQ(reasons.at(1).at("code"), "expectation.failed");
}

TEST(SharedDevices, AreUsedWhileSamplesAreTaken) {
  OnDevice told;
  told.counter("power", {300, 300});
  result::Visit& visit = told.visit();
  visit.measurement.first_sample_at_s = 100;
  visit.ranks[0].series.begin_s.assign(visit.ranks[0].series.device_s.size(), 0);
  visit.ranks[0].series.host_s = visit.ranks[0].series.device_s;
  visit.telemetry.push_back({100, "host:0", "power", 300});
  visit.throttle = {{99, "host:0", "used_by_4711"}};
  EXPECT_EQ(told.judged().at("outcome"), "passed") << "that was before the samples";
  visit.throttle.push_back({100, "host:0", "used_by_4711"});
  EXPECT_EQ(told.judged().at("outcome"), "invalid");
}

TEST(SharedDevices, WithAnIdleProcessAreToldOnly) {
  const Json judged = OnDevice({"bandwidth >= 1 GB/s"}).reason("idle_process").judged();
  EXPECT_EQ(judged.at("outcome"), "passed");
  EXPECT_EQ(text_of_flag(judged, "device_told"), "host:0: idle_process (somebody else's)");
}

TEST(Peaks, ThatABackendGivesInAnotherUnitAreNotUsed) {
  OnDevice told({"bandwidth >= 60% of peak"});
  for (const Json& peak : {Json{{"value", 80e9}, {"unit", "FLOP/s"}}, Json{{"value", -5}, {"unit", "B/s"}}}) {
    told.world.inventory.backends[0].devices[0].facts["peaks"] = {{"memory_bandwidth", peak}};
    const Json judged = told.judged();
    EXPECT_EQ(judged.at("expectations").at(0).at("status"), "no_reference");
    EXPECT_THAT(text_of_flag(judged, "peak_refused"), HasSubstr("peak 'memory_bandwidth' is"));
    EXPECT_THAT(judged.at("reason").at("text").get<std::string>(), HasSubstr("peak 'memory_bandwidth' is"));
  }
}

}  // namespace
}  // namespace assay::judge
