// SPDX-License-Identifier: Apache-2.0
//
// What a run reads of its devices while it measures: joined with visits, refused, missed, and acted on.
#include "catalog/manifest.hpp"
#include "result/throttle.hpp"
#include "run/testing/fixture.hpp"

#include <signal.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::run {
namespace {

using result::Outcome;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(RunTest, JoinsReadingsWithTheVisit) {
  add_devices();
  settings_.telemetry_every_s = 0.001;
  settings_.grace_s = 30;
  // Ends once a reading has come: the loop is asked ten times a second.
  std::size_t told = 0;
  watch_ = [&](const RunProgress& progress) {
    if (progress.telemetry != nullptr) told = progress.telemetry->size();
  };
  stop_ = [&] { return told > 0 ? StopRequest{SIGINT, 1} : StopRequest{}; };
  const result::Visit visit = visit_of("wait", on("fake:1"));
  ASSERT_THAT(visit.telemetry, Not(IsEmpty()));
  EXPECT_EQ(visit.telemetry[0].device, "fake:1");
  EXPECT_EQ(visit.telemetry[0].quantity, "power");
  EXPECT_EQ(visit.telemetry[0].value, 350.5);
  EXPECT_GE(visit.telemetry[0].at_s, visit.started_at_s);
  ASSERT_THAT(visit.throttle, Not(IsEmpty()));
  EXPECT_EQ(visit.throttle[0].reason, "power_cap");
}

// Errors that a driver logs are told once: the next visit's first reading would be blamed for this one's.
TEST_F(RunTest, ReadsOnceMoreAtTheEndOfAVisit) {
  add_devices();
  settings_.telemetry_every_s = 1e9;  // longer than any machine has been running
  add("a", "null", on("fake:0"));
  add("b", "null", on("fake:0"));
  const Recorded record = run();
  ASSERT_EQ(record.visits.size(), 2u);
  EXPECT_EQ(record.visits[0].telemetry.size(), 2u) << "at its beginning and at its end";
  EXPECT_EQ(record.visits[1].telemetry.size(), 1u) << "at its end";
}

// As the manifest of add_devices() declares it.
std::string meaning(const std::string& reason) { return reason == "hw_thermal" ? catalog::kThrottled : ""; }

TEST_F(RunTest, MeasuresAThrottledVisitAgainWhenItsDevicesHaveRecovered) {
  add_devices("backend heats");
  settings_.telemetry_every_s = 0.001;
  add("a", "null", on("fake:0")).measure.throttle = plan::Throttle::cooldown;
  int written = 0, cooling = 0;
  finished_ = [&](const result::Visit&) { ++written; };
  watch_ = [&](const RunProgress& progress) {
    cooling += progress.kind == RunProgress::Kind::cooling ? 1 : 0;
  };
  const Recorded record = run();
  EXPECT_EQ(written, 2);
  EXPECT_GE(cooling, 1) << "a watcher is told why nothing seems to go on";
  ASSERT_EQ(record.visits.size(), 2u);
  EXPECT_EQ(record.visits[0].attempt, 1);
  EXPECT_TRUE(result::is_throttled(record.visits[0].throttle, meaning));
  EXPECT_EQ(record.visits[1].attempt, 2);
  EXPECT_EQ(record.visits[1].outcome, Outcome::passed);
  EXPECT_FALSE(result::is_throttled(record.visits[1].throttle, meaning));
  EXPECT_THAT(record.visits[1].notes, Contains(HasSubstr("its devices had recovered")));
}

// A driver tells a fault once, to whoever reads next.
TEST_F(RunTest, KeepsWhatADeviceTellsWhileItCools) {
  add_devices("backend heats, and faults while it is warm");
  settings_.telemetry_every_s = 0.001;
  add("a", "null", on("fake:0")).measure.throttle = plan::Throttle::cooldown;
  std::size_t told = 0;
  for (const result::Visit& visit : run().visits)
    for (const result::ThrottleReason& each : visit.throttle) told += each.reason == "xid_79" ? 1 : 0;
  EXPECT_EQ(told, 1U);
}

TEST_F(RunTest, DoesNotWaitForeverForADeviceToRecover) {
  add_devices("backend heats_for_ever");
  settings_.telemetry_every_s = 0.001;
  settings_.cooldown_s = 0.02;
  add("a", "null", on("fake:0")).measure.throttle = plan::Throttle::cooldown;
  const Recorded record = run();
  ASSERT_EQ(record.visits.size(), 2u);
  EXPECT_TRUE(result::is_throttled(record.visits[1].throttle, meaning));
  EXPECT_THAT(record.visits[1].notes, Contains(HasSubstr("had not recovered")));
}

TEST_F(RunTest, MeasuresAThrottledVisitOnceUnlessTheSuiteSaysOtherwise) {
  for (const plan::Throttle throttle : {plan::Throttle::flag, plan::Throttle::fail}) {
    plan_ = {};
    catalog_ = {};
    inventory_ = {};
    add_devices("backend heats_for_ever");
    add("a", "null", on("fake:0")).measure.throttle = throttle;
    EXPECT_EQ(run().visits.size(), 1u);
  }
}

TEST_F(RunTest, ReadsWhatCountersStandAtBeforeAVisitAndAfterIt) {
  add_devices("backend counts");
  settings_.telemetry_every_s = 1e9;
  add("a", "null", on("fake:0"));
  add("b", "null", on("fake:0"));
  add("c", "null", on("fake:1"));
  const Recorded record = run();
  ASSERT_EQ(record.visits.size(), 3u);
  const auto energy = [&](std::size_t visit) {
    std::vector<double> values;
    for (const result::Reading& reading : record.visits[visit].telemetry)
      if (reading.quantity == "energy") values.push_back(reading.value);
    return values;
  };
  EXPECT_THAT(energy(0), ElementsAre(10, 20)) << "at its beginning and at its end";
  EXPECT_THAT(energy(1), ElementsAre(20, 30)) << "the last visit's end is this one's beginning";
  EXPECT_THAT(energy(2), ElementsAre(40, 50)) << "of another device nobody knows what it stood at";
}

TEST_F(RunTest, CountsErrorsWhileADeviceCoolsInTheNextAttempt) {
  add_devices("backend counts, heats_for_ever");
  settings_.telemetry_every_s = 0.001;
  settings_.cooldown_s = 0.02;
  add("a", "null", on("fake:0")).measure.throttle = plan::Throttle::cooldown;
  const Recorded record = run();
  ASSERT_EQ(record.visits.size(), 2u);
  std::vector<std::vector<double>> errors(2);
  for (std::size_t visit = 0; visit < 2; ++visit)
    for (const result::Reading& reading : record.visits[visit].telemetry)
      if (reading.quantity == "errors") errors[visit].push_back(reading.value);
  EXPECT_EQ(errors[1].front(), errors[0].back());
}

TEST_F(RunTest, CountsErrorsBetweenTwoVisitsOfADeviceInTheLaterOne) {
  add_devices("backend counts");
  settings_.telemetry_every_s = 1e-9;  // so that no reading was a moment ago
  add("a", "null", on("fake:0"));
  add("b", "null", on("fake:1"));
  add("c", "null", on("fake:0"));
  const Recorded record = run();
  ASSERT_EQ(record.visits.size(), 3u);
  const auto of = [&](std::size_t visit, std::string_view quantity) {
    std::vector<double> values;
    for (const result::Reading& reading : record.visits[visit].telemetry)
      if (reading.quantity == quantity) values.push_back(reading.value);
    return values;
  };
  EXPECT_EQ(of(2, "errors").front(), of(0, "errors").back());
  EXPECT_LT(of(1, "errors").front(), of(1, "errors").back());
  EXPECT_GT(of(1, "errors").front(), of(0, "errors").back()) << "another device's are its own";
  EXPECT_GT(of(2, "energy").front(), of(1, "energy").back()) << "what is used between visits is no case's";
}

TEST_F(RunTest, RefusesWhatABackendDoesNotDeclareAndSaysSo) {
  for (const auto& [how, what] : {std::pair{"backend babbles", "reads 'aura'"},
                                  std::pair{"backend gives_unknown_reason", "gives the reason 'mood'"}}) {
    catalog_ = {};
    inventory_ = {};
    plan_ = {};
    add_devices(how);
    const result::Visit visit = visit_of("null", on("fake:0"));
    EXPECT_EQ(visit.outcome, Outcome::passed);
    EXPECT_THAT(visit.telemetry_problem, HasSubstr(what));
    EXPECT_THAT(visit.telemetry_problem, HasSubstr("does not declare"));
    for (const result::Reading& reading : visit.telemetry) EXPECT_NE(reading.quantity, "aura");
  }
}

TEST_F(RunTest, SaysInEveryVisitWhyThereIsNoTelemetry) {
  add_devices("backend fails_on_read");
  add("a", "null", on("fake:0"));
  add("b", "null", on("fake:0"));
  const Recorded record = run();
  ASSERT_EQ(record.visits.size(), 2u);
  for (const result::Visit& visit : record.visits) {
    EXPECT_EQ(visit.outcome, Outcome::passed);
    EXPECT_THAT(visit.telemetry, IsEmpty());
    EXPECT_THAT(visit.telemetry_problem, HasSubstr("the sensor has no answer"));
  }
}

TEST_F(RunTest, LosesTelemetryOnlyIfItsBackendCrashesHangsOrBabbles) {
  for (const char* how : {"crash_on_read", "hang_on_read", "rubbish_on_read"}) {
    catalog_ = {};
    inventory_ = {};
    plan_ = {};
    settings_.answer_s = how == std::string("hang_on_read") ? 0.05 : 10;
    add_devices(std::string("backend ") + how);
    // The visit lasts until a timeout, so that the backend's end falls into it.
    const result::Visit visit = visit_of("wait", on("fake:0", 0.2));
    EXPECT_EQ(visit.outcome, Outcome::timeout);
    EXPECT_THAT(visit.telemetry, IsEmpty());
    EXPECT_THAT(visit.notes, Contains(HasSubstr("telemetry ended"))) << how;
    EXPECT_THAT(visit.telemetry_problem, HasSubstr("telemetry ended")) << how;
  }
}

}  // namespace
}  // namespace assay::run
