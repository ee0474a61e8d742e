// SPDX-License-Identifier: Apache-2.0
//
// A run as a whole: quarantine, requests to stop, resume, progress, backends and locks.
#include "base/error.hpp"
#include "run/device_lock.hpp"
#include "run/testing/fixture.hpp"

#include <signal.h>
#include <unistd.h>

namespace assay::run {
namespace {

using result::Outcome;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Outcome> outcomes(const Recorded& record) {
  std::vector<Outcome> list;
  for (const result::Visit& visit : record.visits) list.push_back(visit.outcome);
  return list;
}

TEST_F(RunTest, WithdrawsADeviceOnWhichTwoBenchmarksDied) {
  add_devices();
  add("a", "crash", on("fake:0"));
  add("b", "null", on("fake:0"));
  add("c", "fork", on("fake:0"));
  add("d", "null", on("fake:0"));
  add("e", "null", on("fake:1"));
  CaseOptions both;
  both.ranks = {{"fake:1"}, {"fake:0"}};
  both.key = "both";
  add("f", "null", both);
  CaseOptions described = on("fake:1");
  described.parameters = Json{{"variables", {"FAKE_VISIBLE_DEVICES"}}};
  add("g", "describe", described);
  const Recorded record = run();
  EXPECT_THAT(outcomes(record),
              ElementsAre(Outcome::crashed, Outcome::passed, Outcome::crashed, Outcome::not_run,
                          Outcome::passed, Outcome::not_run, Outcome::passed));
  EXPECT_EQ(record.visits[3].reason.code, "device.quarantined");
  EXPECT_EQ(record.visits[3].reason.text,
            "device 'fake:0' is not used any more: workers of two benchmarks died on it, in a and in c");
  EXPECT_EQ(record.visits[5].reason.rank, 1);
  EXPECT_EQ(record.visits[6].ranks[0].facts.at("env.FAKE_VISIBLE_DEVICES"), "fake:1");
}

TEST_F(RunTest, KeepsADeviceOnWhichBenchmarksWereOnlyLate) {
  add_devices();
  for (const char* id : {"a", "b"}) {
    CaseOptions late = on("fake:0");
    late.timeout_s = 0.05;
    add(id, id[0] == 'a' ? "wait" : "linger", late);
  }
  add("c", "null", on("fake:0"));
  EXPECT_THAT(outcomes(run()), ElementsAre(Outcome::timeout, Outcome::timeout, Outcome::passed));
}

TEST_F(RunTest, WithdrawsADeviceOnWhichTwoWorkersHadToBeKilled) {
  add_devices();
  for (const char* id : {"a", "b"}) {
    CaseOptions late = on("fake:0");
    late.timeout_s = 0.05;
    add(id, id[0] == 'a' ? "hang" : "hang_until_term", late);
  }
  add("c", "null", on("fake:0"));
  EXPECT_THAT(outcomes(run()), ElementsAre(Outcome::timeout, Outcome::timeout, Outcome::not_run));
}

TEST_F(RunTest, AsksForATimelineInTheFirstRoundAndOnlyIfOneIsWanted) {
  add("a", "trace");
  add_visit("a", 2);
  const auto asked = [this] {
    std::vector<std::string> list;
    for (const result::Visit& visit : run().visits) list.push_back(visit.ranks.at(0).facts.at("trace"));
    return list;
  };
  EXPECT_THAT(asked(), ElementsAre("not asked for", "not asked for"));
  settings_.trace = true;
  EXPECT_THAT(asked(), ElementsAre("asked for", "not asked for"));
}

TEST_F(RunTest, BlamesABenchmarkThatAlwaysDiesAndNotItsDevice) {
  add_devices();
  for (const char* id : {"a", "b", "c"}) add(id, "crash", on("fake:0"));
  add("d", "null", on("fake:0"));
  EXPECT_THAT(outcomes(run()),
              ElementsAre(Outcome::crashed, Outcome::crashed, Outcome::crashed, Outcome::passed));
}

TEST_F(RunTest, WithdrawsALostDeviceAtOnce) {
  add_devices();
  add("a", "lose_device", on("fake:0"));
  add("b", "null", on("fake:0"));
  EXPECT_THAT(outcomes(run()), ElementsAre(Outcome::error, Outcome::not_run));
}

TEST_F(RunTest, WithdrawsOfSeveralDevicesTheOneThatIsNamed) {
  add_devices();
  CaseOptions both;
  both.ranks = {{"fake:0", "fake:1"}};
  add("a", "lose_second_device", both);
  add("b", "null", on("fake:0"));
  add("c", "null", on("fake:1"));
  EXPECT_THAT(outcomes(run()), ElementsAre(Outcome::error, Outcome::passed, Outcome::not_run));
}

TEST_F(RunTest, WithdrawsSeveralDevicesIfAllAreNamed) {
  add_devices();
  CaseOptions both;
  both.ranks = {{"fake:0", "fake:1"}};
  add("a", "lose_all_devices", both);
  add("b", "null", on("fake:0"));
  add("c", "null", on("fake:1"));
  EXPECT_THAT(outcomes(run()), ElementsAre(Outcome::error, Outcome::not_run, Outcome::not_run));
}

TEST_F(RunTest, WithdrawsADeviceThatItsBackendGaveUp) {
  add_devices("backend_loses");
  CaseOptions slow = on("fake:0");
  slow.timeout_s = 0.5;  // telemetry has its word before that
  add("a", "wait", slow);
  add("b", "null", on("fake:0"));
  add("c", "null", on("fake:1"));
  const Recorded record = run();
  EXPECT_EQ(record.visits.at(0).outcome, Outcome::error);
  EXPECT_EQ(record.visits[0].reason.code, "device.lost");
  EXPECT_EQ(record.visits[0].reason.device, "fake:0");
  EXPECT_THAT(record.visits[0].reason.text, HasSubstr("did not end within 0.5 s"));
  EXPECT_EQ(record.visits.at(1).reason.code, "device.quarantined");
}

TEST_F(RunTest, WaitsForWhatABackendWasAskedDuringAVisit) {
  add_devices("backend_loses_slow_on_read");
  add("a", "null", on("fake:0"));
  const Recorded record = run();
  EXPECT_EQ(record.visits.at(0).outcome, Outcome::error);
  EXPECT_EQ(record.visits[0].reason.code, "device.lost");
}

TEST_F(RunTest, NeverWithdrawsADeviceWithoutIdentity) {
  add_devices();
  inventory_.backends[0].devices[0].uuid = "";
  add("a", "crash", on("fake:0"));
  add("b", "fork", on("fake:0"));
  add("c", "null", on("fake:0"));
  EXPECT_THAT(outcomes(run()), ElementsAre(Outcome::crashed, Outcome::crashed, Outcome::passed));
}

TEST_F(RunTest, EndsABenchmarkAfterTwoTimeouts) {
  settings_.grace_s = 0.02;
  add("a", "hang", on("fake:0", 0.02));
  add("b", "hang", on("fake:0", 0.02));
  add("c", "hang", on("fake:0", 0.02));
  add("d", "null", on("fake:0"));
  const Recorded record = run();
  EXPECT_THAT(outcomes(record),
              ElementsAre(Outcome::timeout, Outcome::timeout, Outcome::not_run, Outcome::passed));
  EXPECT_EQ(record.visits[2].reason.code, "benchmark.timeouts");
}

TEST_F(RunTest, RecordsPredeterminedOutcomesWithoutAWorker) {
  settings_.program = folder_ / "none";
  plan::PlannedCase& planned = add("a", "null");
  planned.predetermined = Outcome::skipped;
  planned.predetermined_reason.code = "needs.library";
  const Recorded record = run();
  EXPECT_EQ(record.visits.at(0).outcome, Outcome::skipped);
  EXPECT_EQ(record.visits[0].reason.code, "needs.library");
}

TEST_F(RunTest, CancelsTheVisitInFlightAtTheFirstSignal) {
  int asked = 0;
  settings_.grace_s = 30;
  // The first question is put before the visit, the second while it runs.
  stop_ = [&] { return ++asked > 1 ? StopRequest{SIGINT, 1} : StopRequest{}; };
  add("a", "wait");
  add("b", "null");
  const Recorded record = run();
  EXPECT_EQ(record.interrupted_by, SIGINT);
  EXPECT_THAT(outcomes(record), ElementsAre(Outcome::cancelled));
  EXPECT_EQ(record.visits[0].reason.code, "visit.cancelled");
  EXPECT_THAT(record.visits[0].reason.text, HasSubstr("was stopped by signal 2 (SIGINT)"));
}

TEST_F(RunTest, KillsTheVisitInFlightAtTheSecondSignal) {
  int asked = 0;
  settings_.grace_s = 30;
  stop_ = [&] {
    ++asked;
    return StopRequest{asked > 1 ? SIGTERM : 0, std::max(0, asked - 1)};
  };
  add("a", "hang");
  const Recorded record = run();
  EXPECT_EQ(record.interrupted_by, SIGTERM);
  EXPECT_THAT(outcomes(record), ElementsAre(Outcome::cancelled));
  EXPECT_EQ(record.visits[0].ranks[0].series.device_s.size(), 1u);
}

TEST_F(RunTest, StartsNothingOnceItWasAskedToStop) {
  stop_ = [] { return StopRequest{SIGTERM, 1}; };
  add("a", "null");
  const Recorded record = run();
  EXPECT_THAT(record.visits, IsEmpty());
  EXPECT_EQ(record.interrupted_by, SIGTERM);
}

TEST_F(RunTest, GoesOnWhereAnEarlierRunEnded) {
  for (const char* id : {"a", "b", "c"}) add(id, "count");
  std::vector<result::Visit> done(2);
  done[0].case_id = "a";
  done[0].outcome = Outcome::crashed;
  done[1].case_id = "b";
  done[1].outcome = Outcome::cancelled;
  std::vector<std::string> written;
  finished_ = [&](const result::Visit& visit) { written.push_back(visit.case_id); };
  const Recorded record = run(done);
  EXPECT_THAT(written, ElementsAre("b", "c"));
  ASSERT_EQ(record.visits.size(), 3u);
  EXPECT_THAT(outcomes(record), ElementsAre(Outcome::crashed, Outcome::passed, Outcome::passed));
  EXPECT_EQ(record.visits[1].attempt, 2);
}

TEST_F(RunTest, KnowsWhatTheVisitsBeforeItsResumptionTaught) {
  add_devices();
  add("a", "lose_device", on("fake:0"));
  add("b", "null", on("fake:0"));
  std::vector<result::Visit> done(1);
  done[0].case_id = "a";
  done[0].outcome = Outcome::error;
  done[0].reason.code = "device.lost";
  const Recorded record = run(done);
  EXPECT_THAT(outcomes(record), ElementsAre(Outcome::error, Outcome::not_run));
}

TEST_F(RunTest, HandsEveryVisitOnBeforeTheNextStarts) {
  add("a", "null");
  add("b", "null");
  std::vector<std::string> events;
  finished_ = [&](const result::Visit& visit) { events.push_back("written " + visit.case_id); };
  watch_ = [&](const RunProgress& progress) {
    if (progress.kind == RunProgress::Kind::visit_started)
      events.push_back("started " + progress.current->id);
    if (progress.kind == RunProgress::Kind::visit_finished) {
      events.push_back("finished " + std::to_string(progress.done) + "/" + std::to_string(progress.total));
      EXPECT_EQ(progress.visit->outcome, Outcome::passed);
    }
  };
  run();
  EXPECT_THAT(events, ElementsAre("started a", "written a", "finished 1/2", "started b", "written b",
                                  "finished 2/2"));
}

TEST_F(RunTest, LeavesNothingBehindIfAVisitCannotBeWritten) {
  add("a", "null");
  finished_ = [](const result::Visit&) { throw Error("journal.unwritable", "the disk is full"); };
  EXPECT_THROW(run(), Error);
}

// A run that was stopped in the second attempt goes on with a third.
TEST_F(RunTest, GoesOnAfterTheLastAttemptOfAVisit) {
  add("a", "null");
  std::vector<result::Visit> done(2);
  for (std::size_t i = 0; i < 2; ++i) {
    done[i].case_id = "a";
    done[i].attempt = static_cast<int>(i) + 1;
    done[i].outcome = i == 0 ? Outcome::passed : Outcome::cancelled;
  }
  const Recorded record = run(done);
  ASSERT_EQ(record.visits.size(), 2u);
  EXPECT_EQ(record.visits[0].attempt, 1);
  EXPECT_EQ(record.visits[1].attempt, 3);
}

TEST_F(RunTest, RefusesToGuessWhichDevicesAWorkerSees) {
  for (const char* how : {"crash_on_visibility", "hang_on_visibility", "rubbish_on_visibility"}) {
    catalog_ = {};
    inventory_ = {};
    plan_ = {};
    settings_.answer_s = how == std::string("hang_on_visibility") ? 0.05 : 10;
    add_devices(std::string("backend ") + how);
    const result::Visit visit = visit_of("null", on("fake:0"));
    EXPECT_EQ(visit.outcome, Outcome::error) << how;
    EXPECT_EQ(visit.reason.code, "backend.unavailable");
  }
}

TEST_F(RunTest, NotesWhatABackendWarnsOfOnce) {
  add_devices("backend that warns");
  const result::Visit visit = visit_of("null", on("fake:0"));
  EXPECT_EQ(visit.outcome, Outcome::passed);
  EXPECT_THAT(visit.notes, ElementsAre("plugin 'org.test.backend': warning: warning of an old driver"));
}

TEST_F(RunTest, NotesSomeOfWhatABackendNeverStopsWarningOf) {
  add_devices("backend never the same");
  EXPECT_EQ(visit_of("null", on("fake:0")).notes.size(), 20u);
}

TEST_F(RunTest, TakesTheInventoryOfEveryBackend) {
  add_devices();
  const system::Inventory inventory = take_inventory(catalog_, {"fake", "none", "fakes"}, settings_);
  ASSERT_EQ(inventory.backends.size(), 3u);
  EXPECT_EQ(inventory.backends[0].name, "fake");
  EXPECT_EQ(inventory.backends[0].plugin, "org.test.backend");
  EXPECT_EQ(inventory.backends[0].unavailable, "");
  ASSERT_EQ(inventory.backends[0].devices.size(), 2u);
  EXPECT_EQ(inventory.backends[0].devices[1].uuid, "fake-uuid-1");
  EXPECT_EQ(inventory.backends[0].facts["driver"], "1.0");
  EXPECT_EQ(inventory.backends[1].unavailable, "no plugin provides backend 'none'");
  EXPECT_EQ(inventory.backends[2].unavailable, "no plugin provides backend 'fakes' (did you mean 'fake'?)");
}

TEST_F(RunTest, ListsABackendThatCannotAnswerWithTheReason) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"crash_on_inventory", "died of signal 11 (SIGSEGV)"},
      {"hang_on_inventory", "did not answer within 0.05 s"},
      {"rubbish_on_inventory", "not a JSON object"},
      {"cannot_load", "libfoo.so.1 is missing"},
      {"crash_on_load", "died of signal 11 (SIGSEGV)"}};
  for (const auto& [how, reason] : table) {
    catalog_ = {};
    settings_.answer_s = how.starts_with("hang") ? 0.05 : 10;
    add_devices("backend " + how);
    const system::Inventory inventory = take_inventory(catalog_, {"fake"}, settings_);
    EXPECT_THAT(inventory.backends.at(0).devices, IsEmpty());
    EXPECT_THAT(inventory.backends[0].unavailable, HasSubstr(reason)) << how;
  }
}

TEST_F(RunTest, KeepsASecondRunOffADevice) {
  add_devices();
  add("a", "null", on("fake:0"));
  {
    const DeviceLocks other(settings_.lock_folder, {&inventory_.backends[0].devices[0]});
    try {
      run();
      FAIL() << "the device was used twice";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "device.locked");
      EXPECT_THAT(error.what(), HasSubstr("device 'fake:0'"));
      EXPECT_THAT(error.what(), HasSubstr("process " + std::to_string(getpid())));
    }
  }
  EXPECT_THAT(outcomes(run()), ElementsAre(Outcome::passed));
}

TEST_F(RunTest, LocksTheDevicesOfThePlanOnly) {
  add_devices();
  add("a", "null", on("fake:0"));
  const DeviceLocks other(settings_.lock_folder, {&inventory_.backends[0].devices[1]});
  EXPECT_THAT(outcomes(run()), ElementsAre(Outcome::passed));
}

TEST_F(RunTest, ServesManyVisitsWithOneWorker) {
  for (int i = 0; i < 1000; ++i) add("case" + std::to_string(i), "count");
  std::size_t written = 0;
  finished_ = [&](const result::Visit&) { ++written; };
  const Recorded record = run();
  ASSERT_EQ(record.visits.size(), 1000u);
  EXPECT_EQ(written, 1000u);
  EXPECT_THAT(outcomes(record), Each(Outcome::passed));
  EXPECT_EQ(record.visits.back().ranks.at(0).facts.at("visit"), "1000");
}

}  // namespace
}  // namespace assay::run
