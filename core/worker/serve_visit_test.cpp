// SPDX-License-Identifier: Apache-2.0
#include "worker/testing/worker_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::worker {
namespace {

using result::Outcome;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class FakeVisit : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(worker_.load(fixture("assay_fake"), "org.assay.fake").at("type"), "ready");
  }
  wire::Visited visit(const Json& parameters) { return worker_.visit(fake_visit(parameters)); }
  WorkerProcess worker_;
};

TEST_F(FakeVisit, BringsEverythingThatThePluginReported) {
  const wire::Visited visited = visit({{"bytes", 1000}, {"check", "failed"}, {"note", "tree"}});
  const result::Visit& visit = visited.visit;
  EXPECT_EQ(visit.outcome, Outcome::passed) << visit.reason.text;
  EXPECT_EQ(visited.dirty, "");
  EXPECT_EQ(visited.number, 1U);
  EXPECT_EQ(visit.case_id, "a");
  EXPECT_EQ(visit.measurement.clock, "simulated");
  EXPECT_EQ(visit.measurement.stop, "samples");
  EXPECT_EQ(visit.measurement.calibrated_n, 1U);
  EXPECT_EQ(visit.measurement.warmup_iterations, 5U);
  EXPECT_DOUBLE_EQ(visit.measurement.n_ratio, 2);
  EXPECT_EQ(visit.measurement.done, 16U);
  EXPECT_TRUE(visit.measurement.judged);
  EXPECT_EQ(visit.work, (std::map<std::string, double>{{"bandwidth", 1000}, {"latency", 10}}));
  ASSERT_EQ(visit.ranks.size(), 1U);
  const result::RankRecord& rank = visit.ranks.front();
  EXPECT_EQ(rank.devices, std::vector<std::string>{"fake:2"});
  EXPECT_EQ(rank.series.device_s, std::vector<double>(20, 1e-3));
  EXPECT_THAT(rank.series.laps_s, IsEmpty());
  ASSERT_EQ(rank.values.size(), 5U);
  EXPECT_EQ(rank.values[0].metric, "memory");
  EXPECT_EQ(rank.values[0].value, 500);
  EXPECT_EQ(rank.values[4].indices, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(rank.values[4].value, 11);
  EXPECT_EQ(rank.facts.at("algorithm"), "tree");
  ASSERT_EQ(rank.checks.size(), 1U);
  EXPECT_EQ(rank.checks[0].subject, "link 0 of fake:2");
  EXPECT_FALSE(rank.checks[0].passed);
  ASSERT_EQ(rank.verifications.size(), 3U);
  EXPECT_EQ(rank.verifications[0].phase, "before");
  EXPECT_EQ(rank.verifications[1].phase, "last");
  EXPECT_EQ(rank.verifications[2].phase, "after");
  EXPECT_EQ(rank.verifications[2].checked, 100U);
  EXPECT_TRUE(rank.verifications[2].exact);
  EXPECT_THAT(rank.spans, IsEmpty());
  EXPECT_EQ(rank.log, "info: prepared\n");
  ASSERT_EQ(worker_.before.size(), 1U);
  EXPECT_EQ(worker_.before[0].at("type"), "log");
  EXPECT_EQ(worker_.before[0].at("text"), "prepared");
}

TEST_F(FakeVisit, GivesLapsAndSpansWhereAskedFor) {
  wire::StartVisit start = fake_visit({{"laps", true}, {"quantum", 4}});
  start.trace = true;
  const result::Visit visit = worker_.visit(start).visit;
  EXPECT_EQ(visit.outcome, Outcome::passed);
  EXPECT_EQ(visit.ranks[0].series.iterations, 4U);
  EXPECT_EQ(visit.ranks[0].series.laps_s.size(), 80U);
  ASSERT_EQ(visit.ranks[0].spans.size(), 1U);
  EXPECT_EQ(visit.ranks[0].spans[0].end_ns, 2000);
}

TEST_F(FakeVisit, WithoutWarmUpAndWithOneSampleDoesTheLeast) {
  wire::StartVisit start = fake_visit({{"results", "unchecked"}});
  start.measure.samples = 1;
  start.measure.warmup = 0;
  const result::Visit visit = worker_.visit(start).visit;
  EXPECT_EQ(visit.outcome, Outcome::passed);
  EXPECT_EQ(visit.ranks[0].series.device_s.size(), 1U);
  EXPECT_EQ(visit.ranks[0].verifications[0].checked, 0U);
}

TEST_F(FakeVisit, UnderAProfilerIsNotJudged) {
  wire::StartVisit start = fake_visit();
  start.profile = true;
  EXPECT_FALSE(worker_.visit(start).visit.measurement.judged);
}

struct FaultCase {
  const char* fault;
  Outcome outcome;
  const char* code;
  bool dirty;
};

TEST_F(FakeVisit, AFaultInAnyPhaseEndsTheVisitAndOnlyIt) {
  const FaultCase cases[] = {
      {"error", Outcome::error, "plugin.error", false},
      {"device_error", Outcome::error, "device.error", true},
      {"bad_parameter", Outcome::error, "plugin.parameter", false},
      {"skip", Outcome::skipped, "case.skipped", false},
      {"exception", Outcome::error, "plugin.error", false},
      {"throw_integer", Outcome::error, "plugin.error", false},
      {"out_of_memory", Outcome::error, "plugin.memory", false},
  };
  const std::pair<const char*, const char*> phases[] = {{"create", "create"},   {"probe", "probe"},
                                                        {"prepare", "prepare"}, {"traits", "traits"},
                                                        {"verify", "verify"},   {"iterate", "calibrate"}};
  for (const FaultCase& fault : cases) {
    for (const auto& [phase, reported] : phases) {
      SCOPED_TRACE(std::string(fault.fault) + " in " + phase);
      const wire::Visited visited = visit({{"fault", fault.fault}, {"phase", phase}});
      EXPECT_EQ(visited.visit.outcome, fault.outcome);
      EXPECT_EQ(visited.visit.reason.code, fault.code);
      EXPECT_EQ(visited.visit.reason.phase, reported);
      EXPECT_EQ(visited.visit.reason.device, "fake:2");
      EXPECT_FALSE(visited.visit.reason.text.empty());
      EXPECT_EQ(!visited.dirty.empty(), fault.dirty);
      EXPECT_EQ(visited.visit.measurement.stop, "error");
    }
  }
  EXPECT_EQ(visit(Json::object()).visit.outcome, Outcome::passed);
}

TEST_F(FakeVisit, TheReasonCarriesThePluginsOwnCode) {
  const result::Reason reason = visit({{"fault", "error"}, {"phase", "prepare"}}).visit.reason;
  EXPECT_EQ(reason.domain, "fake");
  EXPECT_EQ(reason.number, 42);
  EXPECT_EQ(reason.text, "the fake benchmark was asked for an error");
  const result::Reason refusal = visit({{"fault", "bad_parameter"}, {"phase", "create"}}).visit.reason;
  EXPECT_EQ(refusal.parameter, "duration");
  EXPECT_THAT(refusal.text, StartsWith("parameter 'duration': "));
}

TEST_F(FakeVisit, AFaultAmongTheSamplesKeepsThoseBefore) {
  // Two readings, sixteen of the test of proportion, five of warm-up, seven samples.
  const result::Visit visit =
      this->visit({{"fault", "error"}, {"phase", "iterate"}, {"fault_after", 30}}).visit;
  EXPECT_EQ(visit.reason.phase, "sample");
  EXPECT_EQ(visit.ranks[0].series.device_s.size(), 7U);
}

TEST_F(FakeVisit, LeakedMemoryCostsTheWorkerAndIsNamed) {
  const wire::Visited visited = visit({{"fault", "leak"}, {"phase", "prepare"}});
  EXPECT_EQ(visited.visit.outcome, Outcome::passed);
  EXPECT_EQ(visited.dirty, "leaked memory: 1 block, 4096 bytes");
  EXPECT_THAT(visited.visit.measurement.flags, Contains("memory.leaked"));
  EXPECT_THAT(visited.visit.notes, Contains(HasSubstr("4096 bytes")));
}

TEST_F(FakeVisit, WrongResultsFail) {
  const result::Visit before = visit({{"results", "wrong"}}).visit;
  EXPECT_EQ(before.outcome, Outcome::failed);
  EXPECT_EQ(before.reason.code, "verify.wrong");
  EXPECT_THAT(before.reason.text, HasSubstr("1 of 100 values are wrong"));
  EXPECT_THAT(before.ranks[0].series.device_s, IsEmpty());
  ASSERT_EQ(before.ranks[0].verifications.size(), 1U);
  EXPECT_EQ(before.ranks[0].verifications[0].wrong, 1U);

  const result::Visit after = visit({{"results", "wrong_after"}}).visit;
  EXPECT_EQ(after.outcome, Outcome::failed);
  EXPECT_EQ(after.ranks[0].verifications.size(), 3U);
  EXPECT_EQ(after.ranks[0].series.device_s.size(), 20U);
}

TEST_F(FakeVisit, LiesAboutTimeAreFound) {
  const std::tuple<const char*, Outcome, const char*> lies[] = {
      {"device_above_host", Outcome::invalid, "guard.device-above-host"},
      {"fixed_overhead", Outcome::invalid, "guard.time-not-proportional"},
      {"zero_time", Outcome::error, "plugin.bad-time"},
      {"not_a_number", Outcome::error, "plugin.bad-time"}};
  for (const auto& [lie, outcome, code] : lies) {
    const wire::Visited visited = visit({{"lie", lie}});
    EXPECT_EQ(visited.visit.outcome, outcome) << lie;
    EXPECT_EQ(visited.visit.reason.code, code);
    EXPECT_EQ(visited.visit.reason.phase, "calibrate");
    EXPECT_EQ(visited.dirty, "");
  }
}

TEST_F(FakeVisit, ACancelIsObeyedAndTheWorkerServesOn) {
  worker_.send(wire::to_json(fake_visit({{"fault", "wait"}, {"phase", "prepare"}})));
  worker_.send({{"type", "cancel"}, {"number", 1}});
  const wire::Visited visited = worker_.visited();
  EXPECT_EQ(visited.visit.outcome, Outcome::cancelled);
  EXPECT_EQ(visited.visit.reason.code, "visit.cancelled");
  EXPECT_EQ(visited.dirty, "");
  wire::StartVisit next = fake_visit();
  next.number = 2;
  EXPECT_EQ(worker_.visit(next).visit.outcome, Outcome::passed);
}

TEST(HostVisit, ACancelOfAHeldLoadKeepsItsSamplesAndInterimOnesCameBefore) {
  WorkerProcess worker;
  ASSERT_EQ(worker.load(fixture("assay_null"), "org.assay.null").at("type"), "ready");
  wire::StartVisit start = fake_visit(Json::object(), "null");
  start.measure.hold_s = 3000;  // ends by the cancel only
  start.measure.samples = 0;
  start.timeout_s = 6000;
  start.number = 5;
  worker.send(wire::to_json(start));
  std::vector<double> interim;
  for (int frames = 0; frames < 2; ++frames) {
    const Json frame = worker.receive();
    ASSERT_EQ(frame.at("type"), "samples");
    EXPECT_EQ(frame.at("number"), 5);
    const auto news = result::series_from_json(frame.at("series")).device_s;
    interim.insert(interim.end(), news.begin(), news.end());
  }
  worker.send({{"type", "cancel"}, {"number", 5}});
  const result::Visit visit = worker.visited().visit;
  EXPECT_EQ(visit.outcome, Outcome::cancelled);
  EXPECT_EQ(visit.reason.phase, "sample");
  EXPECT_EQ(visit.measurement.stop, "cancelled");
  EXPECT_EQ(visit.measurement.clock, "host");
  const auto& all = visit.ranks[0].series.device_s;
  ASSERT_GE(all.size(), interim.size());
  EXPECT_EQ(std::vector<double>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(interim.size())),
            interim)
      << "interim frames hold what is new since the one before";
}

TEST_F(FakeVisit, TheDeadlineCancelsAndIsATimeout) {
  wire::StartVisit start = fake_visit({{"fault", "wait"}, {"phase", "iterate"}});
  start.timeout_s = 0.05;
  const wire::Visited visited = worker_.visit(start);
  EXPECT_EQ(visited.visit.outcome, Outcome::timeout);
  EXPECT_EQ(visited.visit.reason.code, "visit.timeout");
  EXPECT_EQ(visited.visit.reason.phase, "calibrate");
  EXPECT_FALSE(visited.dirty.empty());
}

TEST_F(FakeVisit, ABenchmarkThatIsNotThereIsAnError) {
  wire::StartVisit start = fake_visit();
  start.benchmark = "none";
  EXPECT_EQ(worker_.visit(start).visit.reason.phase, "create");
}

TEST_F(FakeVisit, ManyVisitsInOneWorkerGiveTheSame) {
  std::vector<double> first;
  for (std::uint64_t number = 1; number <= 30; ++number) {
    wire::StartVisit start = fake_visit({{"noise", "ar09"}});
    start.number = number;
    const wire::Visited visited = worker_.visit(start);
    EXPECT_EQ(visited.number, number);
    if (first.empty()) first = visited.visit.ranks[0].series.device_s;
    EXPECT_EQ(visited.visit.ranks[0].series.device_s, first);
  }
}

// ---- A plugin that breaks the rules of the interface

class FaultyVisit : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(worker_.load(fixture("assay_misbehaving"), "org.assay.misbehaving").at("type"), "ready");
  }
  WorkerProcess worker_;
};

TEST_F(FaultyVisit, EveryBrokenRuleIsNamed) {
  const std::tuple<const char*, Outcome, const char*, const char*> rows[] = {
      {"skip without reason", Outcome::skipped, "case.skipped", "probe"},
      {"cancelled by nobody", Outcome::error, "plugin.protocol", "probe"},
      {"status 77", Outcome::error, "plugin.protocol", "probe"},
      {"status -77", Outcome::error, "plugin.protocol", "probe"},
      {"null texts", Outcome::error, "plugin.error", "probe"},
      {"reasons twice", Outcome::error, "plugin.error", "probe"},
      {"communication", Outcome::error, "rank.failed", "probe"},
      {"timeout", Outcome::error, "plugin.error", "probe"},
      {"undeclared work", Outcome::error, "plugin.undeclared-metric", "prepare"},
      {"null metric", Outcome::error, "plugin.undeclared-metric", "prepare"},
      {"undeclared value", Outcome::error, "plugin.undeclared-metric", "prepare"},
      {"undeclared check", Outcome::error, "plugin.protocol", "prepare"},
      {"undeclared fact", Outcome::error, "plugin.protocol", "prepare"},
      {"work nan", Outcome::error, "plugin.non-finite", "prepare"},
      {"work zero", Outcome::error, "plugin.non-finite", "prepare"},
      {"value infinite", Outcome::error, "plugin.non-finite", "prepare"},
      {"three indices", Outcome::error, "plugin.protocol", "prepare"},
      {"no indices", Outcome::error, "plugin.protocol", "prepare"},
      {"free twice", Outcome::error, "plugin.protocol", "prepare"},
      {"clock 9", Outcome::error, "plugin.protocol", "traits"},
      {"device clock", Outcome::error, "plugin.protocol", "traits"},
      {"no tick", Outcome::error, "plugin.protocol", "traits"},
      {"tick nan", Outcome::error, "plugin.protocol", "traits"},
      {"tick of an hour", Outcome::error, "plugin.protocol", "traits"},
      {"endless quantum", Outcome::error, "plugin.protocol", "traits"},
      {"no quantum", Outcome::error, "plugin.protocol", "traits"},
      {"maximum below quantum", Outcome::error, "plugin.protocol", "traits"},
      {"wrong but fine", Outcome::failed, "verify.wrong", "verify"},
      {"error infinite", Outcome::error, "plugin.protocol", "verify"},
      {"error above tolerance", Outcome::error, "plugin.protocol", "verify"},
      {"error nan", Outcome::error, "plugin.protocol", "verify"},
      {"tolerance nan", Outcome::error, "plugin.protocol", "verify"},
      {"tolerance infinite", Outcome::error, "plugin.protocol", "verify"},
      {"tolerance for all", Outcome::error, "plugin.protocol", "verify"},
      {"tolerance negative", Outcome::error, "plugin.protocol", "verify"},
      {"lost foreign and fine", Outcome::error, "plugin.protocol", "probe"},
      {"all done", Outcome::error, "plugin.protocol", "sample"},
      {"too many laps", Outcome::error, "plugin.protocol", "sample"}};
  for (const auto& [how, outcome, code, phase] : rows) {
    const result::Visit visit = worker_.visit(misbehaving_visit(how)).visit;
    EXPECT_EQ(visit.outcome, outcome) << how;
    EXPECT_EQ(visit.reason.code, code) << how;
    EXPECT_EQ(visit.reason.phase, phase) << how;
    EXPECT_FALSE(visit.reason.text.empty()) << how;
  }
}

TEST_F(FaultyVisit, WhatIsAllowedPasses) {
  for (const char* how : {"", "wrong parameters", "services", "late fail", "values twice",
                          "done by another interface", "drafts"}) {
    const result::Visit visit = worker_.visit(misbehaving_visit(how)).visit;
    EXPECT_EQ(visit.outcome, Outcome::passed) << how << ": " << visit.reason.text;
  }
}

TEST_F(FaultyVisit, TheFirstReasonCountsAndLaterOnesAreLogged) {
  const result::Visit visit = worker_.visit(misbehaving_visit("reasons twice")).visit;
  EXPECT_EQ(visit.reason.text, "the first");
  EXPECT_EQ(visit.reason.number, 1);
  EXPECT_EQ(visit.ranks[0].log, "error: the second\xef\xbf\xbd\n");
}

TEST_F(FaultyVisit, TheFirstReasonCountsAlsoFromThreads) {
  const result::Visit visit = worker_.visit(misbehaving_visit("threads fail")).visit;
  EXPECT_EQ(visit.reason.text, "the cause");
  EXPECT_EQ(visit.reason.number, 5);
  std::string log;
  for (int i = 0; i < 8; ++i) log += "error: what followed\n";
  EXPECT_EQ(visit.ranks[0].log, log);
}

// ---- Devices that are lost

wire::StartVisit on_three_devices(const std::string& how) {
  wire::StartVisit start = misbehaving_visit(how);
  for (const char* name : {"misbehaving:0", "misbehaving:1", "misbehaving:2"})
    start.devices.push_back({name, name, 0, -1});
  return start;
}

TEST_F(FaultyVisit, ADeviceThatIsNamedIsTheOneThatIsLost) {
  for (const char* how : {"lost one", "lost and fine"}) {
    const wire::Visited visited = worker_.visit(on_three_devices(how));
    EXPECT_EQ(visited.visit.outcome, Outcome::error) << how;
    EXPECT_EQ(visited.visit.reason.code, "device.lost") << how;
    EXPECT_EQ(visited.visit.reason.text, "it fell off the bus") << how;
    EXPECT_EQ(visited.visit.reason.domain, "nvml") << how;
    EXPECT_EQ(visited.visit.reason.device, "misbehaving:1") << how;
    EXPECT_EQ(visited.visit.ranks[0].log, "") << "the same text twice is one reason";
    EXPECT_FALSE(visited.dirty.empty()) << how;
  }
}

TEST_F(FaultyVisit, SeveralDevicesMayBeLostWhateverTheStatus) {
  const result::Visit visit = worker_.visit(on_three_devices("lost two")).visit;
  EXPECT_EQ(visit.reason.code, "device.lost");
  EXPECT_EQ(visit.reason.text, "no answer");
  EXPECT_EQ(visit.reason.device, "misbehaving:2, misbehaving:1");
  EXPECT_EQ(visit.ranks[0].log, "error: nor this one\n");
}

TEST_F(FaultyVisit, WhereNoneIsNamedAllAreLostAndItIsSaid) {
  const result::Visit visit = worker_.visit(on_three_devices("lost unnamed")).visit;
  EXPECT_EQ(visit.reason.code, "device.lost");
  EXPECT_EQ(visit.reason.device, "misbehaving:0, misbehaving:1, misbehaving:2");
  EXPECT_THAT(visit.reason.text, HasSubstr("did not say which of its 3 devices is lost, so all of them"));
  wire::StartVisit start = misbehaving_visit("lost unnamed");
  start.devices.push_back({"misbehaving:0", "", 0, -1});
  EXPECT_EQ(worker_.visit(start).visit.reason.text, "the device no longer answers");
}

TEST_F(FaultyVisit, ADeviceThatIsNotTheCasesCannotBeLost) {
  const result::Visit visit = worker_.visit(on_three_devices("lost foreign")).visit;
  EXPECT_EQ(visit.reason.code, "device.lost");
  EXPECT_THAT(visit.reason.text, HasSubstr("it is not ours; the plugin did not say which"));
  EXPECT_EQ(visit.reason.device, "misbehaving:0, misbehaving:1, misbehaving:2");
  EXPECT_EQ(visit.ranks[0].log, "error: lost: 'misbehaving:9' is not a device of this rank\n");
}

// ---- What the host says of drafts, and its log

TEST_F(FaultyVisit, ADraftIsServedByTheBuildThatItBelongsTo) {
  const std::string log = worker_.visit(misbehaving_visit("drafts")).visit.ranks[0].log;
  EXPECT_THAT(
      log,
      HasSubstr("warning: the plugin asked for the draft 'assay.progress/1-draft.0', which this Assay does "
                "not serve: it has 'assay.progress/1-draft.1'; build the plugin with the SDK of this Assay"));
  EXPECT_EQ(log.find("1-draft.0"), log.rfind("1-draft.0")) << "once is enough";
  EXPECT_THAT(
      log, HasSubstr(
               "'assay.telepathy/1-draft.7', which this Assay does not serve: it has no draft of that name"));
  EXPECT_THAT(log, HasSubstr("'assay.seance/1-draft.1', which this Assay does not serve"));
  EXPECT_THAT(log, HasSubstr("info: 25 %: reading weights\n"));
  EXPECT_THAT(log, HasSubstr("info: 100 %: weights are read\n"));
  EXPECT_THAT(log, testing::Not(HasSubstr("too often"))) << "one line a second";
}

TEST(HostLog, BelongsToTheCaseThatIsUnderWayElseToTheNextOne) {
  WorkerProcess worker("open logs");
  wire::Load load{fixture("assay_misbehaving").string(), "org.assay.misbehaving"};
  load.manifest = "/where/it/lies.assay.json";
  const Json line = worker.ask(wire::to_json(load));
  const std::string paths = load.library + "|" + load.manifest;
  EXPECT_EQ(line, Json({{"type", "log"}, {"number", 0}, {"level", "info"}, {"text", paths}}));
  EXPECT_EQ(worker.receive().at("text"), "a remark, because it opens");
  EXPECT_EQ(worker.receive().at("type"), "ready");
  EXPECT_EQ(worker.visit(misbehaving_visit("logs by the host")).visit.ranks[0].log,
            "info: " + paths + "\nwarning: a remark, because it opens\ninfo: said in a case\n");
  EXPECT_EQ(worker.visit(misbehaving_visit("")).visit.ranks[0].log, "");
}

TEST_F(FaultyVisit, AValueAtTheSameIndicesIsReplaced) {
  const auto values = worker_.visit(misbehaving_visit("values twice")).visit.ranks[0].values;
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].value, 7);
  EXPECT_EQ(values[1].value, 6);
}

TEST_F(FaultyVisit, AnExceptionThatCrossesTheBorderCostsTheWorker) {
  const wire::Visited visited = worker_.visit(misbehaving_visit("exception"));
  EXPECT_EQ(visited.visit.reason.code, "plugin.exception");
  EXPECT_EQ(visited.visit.reason.text, "an exception left the plugin's code: a socket is gone");
  EXPECT_FALSE(visited.dirty.empty());
}

}  // namespace
}  // namespace assay::worker
