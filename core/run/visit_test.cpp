// SPDX-License-Identifier: Apache-2.0
//
// What becomes of one visit when its worker behaves in all the ways a worker can.
#include "base/descriptor.hpp"
#include "run/testing/fixture.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace assay::run {
namespace {

using result::Outcome;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(RunTest, RecordsAVisitThatPasses) {
  const result::Visit visit = visit_of("null");
  EXPECT_EQ(visit.outcome, Outcome::passed);
  EXPECT_EQ(visit.case_id, "case");
  EXPECT_EQ(visit.round, 1);
  EXPECT_EQ(visit.attempt, 1);
  EXPECT_GT(visit.started_at_s, 0);
  EXPECT_GT(visit.duration_s, 0);
  EXPECT_EQ(visit.measurement.stop, "samples");
  EXPECT_EQ(visit.reason.code, "");
  ASSERT_EQ(visit.ranks.size(), 1u);
  EXPECT_EQ(visit.ranks[0].log, "info: rank 0\n");
  EXPECT_THAT(visit.notes, IsEmpty());
}

TEST_F(RunTest, NamesSignalPhaseAndLastSampleOfACrash) {
  const result::Visit visit = visit_of("crash");
  EXPECT_EQ(visit.outcome, Outcome::crashed);
  EXPECT_EQ(visit.reason.code, "worker.signal");
  EXPECT_EQ(visit.reason.number, SIGSEGV);
  EXPECT_EQ(visit.reason.phase, "sample");
  EXPECT_EQ(visit.reason.text, "the worker died of signal 11 (SIGSEGV), in phase 'sample' after 37 samples");
  EXPECT_THAT(visit.notes, Contains(HasSubstr("worker replaced")));
}

TEST_F(RunTest, KeepsSamplesAndLogOfACrashedWorker) {
  const result::Visit visit = visit_of("crash");
  ASSERT_EQ(visit.ranks.size(), 1u);
  EXPECT_EQ(visit.ranks[0].series.iterations, 2u);
  EXPECT_EQ(visit.ranks[0].series.device_s, std::vector<double>{0.25});
  EXPECT_THAT(visit.ranks[0].log, HasSubstr("warning: it is near\n"));
  EXPECT_THAT(visit.ranks[0].log, HasSubstr("last words\n"));
}

TEST_F(RunTest, TellsAnExitInMidVisitFromASignal) {
  CaseOptions options;
  options.parameters = Json{{"status", 3}};
  const result::Visit visit = visit_of("exit", options);
  EXPECT_EQ(visit.outcome, Outcome::crashed);
  EXPECT_EQ(visit.reason.code, "worker.exit");
  EXPECT_EQ(visit.reason.number, 3);
  EXPECT_THAT(visit.reason.text, HasSubstr("ended with exit status 3"));
}

TEST_F(RunTest, CountsAnAnswerThatCameBeforeTheWorkerEnded) {
  add("a", "exit_after");
  add("b", "null");
  const Recorded record = run();
  ASSERT_EQ(record.visits.size(), 2u);
  EXPECT_EQ(record.visits[0].outcome, Outcome::passed);
  EXPECT_EQ(record.visits[1].outcome, Outcome::passed);
}

TEST_F(RunTest, KillsAWorkerThatIgnoresCancelAndTermination) {
  CaseOptions options;
  options.timeout_s = 0.05;
  const result::Visit visit = visit_of("hang", options);
  EXPECT_EQ(visit.outcome, Outcome::timeout);
  EXPECT_EQ(visit.reason.code, "visit.timeout");
  EXPECT_EQ(visit.reason.phase, "sample");
  EXPECT_EQ(visit.reason.text, "the worker did not end within 0.05 s, in phase 'sample' after 2 samples");
  EXPECT_EQ(visit.ranks[0].series.device_s.size(), 1u);
}

TEST_F(RunTest, EndsAWorkerThatStoppedItself) {
  CaseOptions options;
  options.timeout_s = 0.05;
  EXPECT_EQ(visit_of("stop_itself", options).outcome, Outcome::timeout);
}

TEST_F(RunTest, AsksAWorkerToEndBeforeItIsKilled) {
  CaseOptions options;
  options.timeout_s = 0.05;
  settings_.grace_s = 30;
  const result::Visit visit = visit_of("wait", options);
  EXPECT_EQ(visit.outcome, Outcome::timeout);
  EXPECT_EQ(visit.ranks[0].log, "info: rank 0\n");
}

TEST_F(RunTest, SendsTerminationBetweenCancelAndKill) {
  CaseOptions options;
  options.timeout_s = 0.05;
  EXPECT_EQ(visit_of("hang_until_term", options).outcome, Outcome::timeout);
}

TEST_F(RunTest, TakesRubbishOnTheWireForAnError) {
  const std::vector<std::string> rubbish = {std::string(64, '\xff'), std::string("\x03\0\0\0abc", 7),
                                            std::string("\x02\0\0\0[]", 6), std::string(4096, '\0')};
  CaseOptions options;
  int number = 0;
  for (const std::string& bytes : rubbish) {
    // JSON has no raw bytes, so each is sent as the character of the same number and the worker writes UTF-8.
    std::string text;
    for (const char byte : bytes) text += static_cast<char>(byte & 0x7f);
    options.parameters = Json{{"bytes", text}};
    add("garbage" + std::to_string(number++), "garbage", options);
  }
  add("after", "null");
  const Recorded record = run();
  ASSERT_EQ(record.visits.size(), rubbish.size() + 1);
  for (std::size_t i = 0; i < rubbish.size(); ++i) {
    EXPECT_EQ(record.visits[i].outcome, Outcome::error);
    EXPECT_EQ(record.visits[i].reason.code, "wire.malformed");
  }
  EXPECT_EQ(record.visits.back().outcome, Outcome::passed);
}

TEST_F(RunTest, RefusesFramesThatMakeNoSense) {
  const std::vector<Json> frames = {Json{{"type", "visited"}, {"number", 1}},
                                    Json{{"type", "visited"}, {"number", "x"}, {"visit", 3}},
                                    Json{{"type", "samples"}, {"number", 1}, {"series", Json::array()}},
                                    Json{{"type", "whatever"}},
                                    Json{{"no", "type"}},
                                    Json{{"type", 7}}};
  int number = 0;
  for (const Json& frame : frames) {
    CaseOptions options;
    options.parameters = Json{{"frame", frame}};
    add("frame" + std::to_string(number++), "frame", options);
  }
  for (const result::Visit& visit : run().visits) {
    EXPECT_EQ(visit.outcome, Outcome::error) << visit.case_id;
    EXPECT_EQ(visit.reason.code, "wire.malformed") << visit.case_id;
  }
}

TEST_F(RunTest, KeepsTheEndOfAFloodOfOutput) {
  CaseOptions options;
  options.parameters = Json{{"kilobytes", 5000}};
  const result::Visit visit = visit_of("flood", options);
  EXPECT_EQ(visit.outcome, Outcome::passed);
  const std::string& log = visit.ranks[0].log;
  EXPECT_LE(log.size(), (64u << 10) + 100);
  EXPECT_GT(log.size(), 60u << 10);
  EXPECT_THAT(log, HasSubstr("the last line\n"));
  EXPECT_THAT(log, HasSubstr("bytes left out]"));
}

TEST_F(RunTest, CleansWhatAWorkerWrites) {
  const result::Visit visit = visit_of("bad_bytes");
  EXPECT_THAT(visit.ranks[0].log, HasSubstr("\uFFFD[31mred\uFFFD"));
}

TEST_F(RunTest, KillsWhatAWorkerForked) {
  const result::Visit visit = visit_of("fork");
  EXPECT_EQ(visit.outcome, Outcome::crashed);
  const int child = std::stoi(visit.ranks[0].log);
  const Descriptor death(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  if (!death.open()) return;  // it has been reaped already
  pollfd polled{death.get(), POLLIN, 0};
  EXPECT_EQ(poll(&polled, 1, 5000), 1) << "process " << child << " lives on";
}

TEST_F(RunTest, KillsADaemonThatAPluginLeftAndSaysSo) {
  const result::Visit visit = visit_of("daemon");
  EXPECT_EQ(visit.outcome, Outcome::passed);
  const std::string child = visit.ranks.at(0).facts.at("process");
  EXPECT_EQ(kill(std::stoi(child), 0), -1);
  EXPECT_THAT(visit.measurement.flags, Contains("state.changed"));
  EXPECT_THAT(visit.notes, Contains(HasSubstr(child + " (")));
}

TEST_F(RunTest, KeepsTheCrashReportOfAWorkerThatASignalEnded) {
  CaseOptions options;
  options.parameters = Json{{"words", "backtrace:\n  a.so+0x1\x1b\n"}};
  EXPECT_THAT(visit_of("crash_report", options).ranks.at(0).log, EndsWith("backtrace:\n  a.so+0x1\uFFFD\n"));
}

TEST_F(RunTest, EndsAWorkerThatClosedItsSocket) {
  const result::Visit visit = visit_of("close_socket");
  EXPECT_EQ(visit.outcome, Outcome::crashed);
  EXPECT_EQ(visit.reason.code, "worker.exit");
  EXPECT_THAT(visit.reason.text, HasSubstr("closed its socket"));
}

TEST_F(RunTest, KeepsAnErrorThatTheWorkerReports) {
  const result::Visit visit = visit_of("error");
  EXPECT_EQ(visit.outcome, Outcome::error);
  EXPECT_EQ(visit.reason.code, "plugin.error");
  EXPECT_THAT(visit.notes, IsEmpty());
}

TEST_F(RunTest, ReportsAPluginThatCannotBeLoaded) {
  manifest().library = "cannot_load";
  const result::Visit visit = visit_of("null");
  EXPECT_EQ(visit.outcome, Outcome::error);
  EXPECT_EQ(visit.reason.code, "plugin.load");
  EXPECT_EQ(visit.reason.text, "libfoo.so.1 is missing");
}

TEST_F(RunTest, PlacesACrashWhileThePluginIsLoaded) {
  manifest().library = "crash_on_load";
  const result::Visit visit = visit_of("null");
  EXPECT_EQ(visit.outcome, Outcome::crashed);
  EXPECT_THAT(visit.reason.text, HasSubstr("while it loaded its plugin"));
}

TEST_F(RunTest, ReportsAProgramThatCannotBeExecuted) {
  settings_.program = folder_ / "none";
  const result::Visit visit = visit_of("null");
  EXPECT_EQ(visit.outcome, Outcome::error);
  EXPECT_EQ(visit.reason.code, "worker.start");
  EXPECT_THAT(visit.reason.text, HasSubstr("No such file"));
}

TEST_F(RunTest, StartsAWorkerCleanBoundAndInItsOwnSession) {
  settings_.base_environment = {"A=base", "B=base", "C=base", "LD_LIBRARY_PATH=/before",
                                "PATH=/bin:/usr/bin"};
  settings_.library_path = {"/first", "/second"};
  CaseOptions options;
  options.parameters = Json{{"variables", {"A", "B", "C", "D", "LD_LIBRARY_PATH"}}};
  plan::PlannedCase& planned = add("case", "describe", options);
  planned.environment = {{"A", "case"}, {"B", std::nullopt}, {"D", ""}};
  planned.placement.ranks[0].cpus = {0};
  const Descriptor stray(dup(STDERR_FILENO));  // not closed on exec, as a careless parent may leave it
  const Recorded record = run();
  ASSERT_EQ(record.visits.at(0).outcome, Outcome::passed) << record.visits[0].reason.text;
  const auto& facts = record.visits[0].ranks[0].facts;
  EXPECT_EQ(facts.at("env.A"), "case");
  EXPECT_EQ(facts.at("env.B"), "(unset)");
  EXPECT_EQ(facts.at("env.C"), "base");
  EXPECT_EQ(facts.at("env.D"), "");
  EXPECT_EQ(facts.at("env.LD_LIBRARY_PATH"), "/first:/second:/before");
  EXPECT_EQ(facts.at("descriptors"), "0 1 2 3 4");
  EXPECT_EQ(facts.at("cpus"), "0");
  EXPECT_EQ(facts.at("stdin"), "/dev/null");
  EXPECT_EQ(facts.at("leads its session"), "yes");
  EXPECT_EQ(facts.at("interrupt"), "default");
}

TEST_F(RunTest, LearnsHowAWorkerEndedEvenIfItsCallerIgnoredEnds) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  const result::Visit visit = visit_of("crash");
  signal(SIGCHLD, before);
  EXPECT_EQ(visit.reason.number, SIGSEGV);
}

TEST_F(RunTest, RefusesABindingThatTheMachineDoesNotAllow) {
  add("case", "null").placement.ranks[0].cpus = {100000};
  const Recorded record = run();
  EXPECT_EQ(record.visits.at(0).outcome, Outcome::error);
  EXPECT_EQ(record.visits[0].reason.code, "worker.start");
  EXPECT_THAT(record.visits[0].reason.text, HasSubstr("bind: none"));
}

TEST_F(RunTest, PutsAWrapperInFrontAndMarksTheVisit) {
  settings_.base_environment = {"PATH=/usr/bin:/bin"};
  settings_.wrap = {"env", "WRAPPED=yes"};
  CaseOptions options;
  options.parameters = Json{{"variables", {"WRAPPED"}}};
  const result::Visit visit = visit_of("describe", options);
  ASSERT_EQ(visit.outcome, Outcome::passed) << visit.reason.text;
  EXPECT_EQ(visit.ranks[0].facts.at("env.WRAPPED"), "yes");
  EXPECT_FALSE(visit.measurement.judged);
}

TEST_F(RunTest, NamesAWrapperThatIsNowhere) {
  settings_.base_environment = {"PATH=/usr/bin:/bin"};
  settings_.wrap = {"no-such-profiler"};
  const result::Visit visit = visit_of("null");
  EXPECT_EQ(visit.outcome, Outcome::error);
  EXPECT_THAT(visit.reason.text, HasSubstr("'no-such-profiler' is in no folder of PATH"));
}

}  // namespace
}  // namespace assay::run
