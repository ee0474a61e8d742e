// SPDX-License-Identifier: Apache-2.0
//
// Visits of several ranks, and which workers serve which visits.
#include "run/testing/fixture.hpp"

#include <signal.h>

#include <set>

namespace assay::run {
namespace {

using result::Outcome;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CaseOptions two_ranks(Json parameters = Json::object()) {
  CaseOptions options;
  options.ranks = {{"fake:0"}, {"fake:1"}};
  options.parameters = std::move(parameters);
  return options;
}

TEST_F(RunTest, MergesRanksInTheirOrder) {
  add_devices();
  const result::Visit visit = visit_of("meet", two_ranks());
  EXPECT_EQ(visit.outcome, Outcome::passed);
  ASSERT_EQ(visit.ranks.size(), 2u);
  EXPECT_EQ(visit.ranks[0].rank, 0);
  EXPECT_EQ(visit.ranks[1].rank, 1);
  EXPECT_THAT(visit.ranks[1].devices, ElementsAre("fake:1"));
  EXPECT_EQ(visit.ranks[1].log, "info: rank 1\n");
  EXPECT_EQ(visit.measurement.done, 4u);
  EXPECT_THAT(visit.measurement.flags, ElementsAre("flag0", "flag1"));
}

TEST_F(RunTest, NamesTheRankThatDiedAndNotThoseThatNoticed) {
  add_devices();
  const result::Visit visit = visit_of("meet", two_ranks(Json{{"failing_rank", 1}}));
  EXPECT_EQ(visit.outcome, Outcome::crashed);
  EXPECT_EQ(visit.reason.code, "worker.signal");
  EXPECT_EQ(visit.reason.rank, 1);
  EXPECT_EQ(visit.reason.device, "fake:1");
  EXPECT_EQ(visit.reason.text,
            "rank 1 (fake:1) died of signal 11 (SIGSEGV), in phase 'sample' after 3 samples");
  EXPECT_THAT(visit.notes, ElementsAre("worker replaced: " + visit.reason.text));
  ASSERT_EQ(visit.ranks.size(), 2u);
}

TEST_F(RunTest, KillsRanksThatOutliveADeadOne) {
  add_devices();
  const result::Visit visit = visit_of("meet", two_ranks(Json{{"failing_rank", 0}, {"stubborn_rank", 1}}));
  EXPECT_EQ(visit.outcome, Outcome::crashed);
  EXPECT_EQ(visit.reason.rank, 0);
}

TEST_F(RunTest, SaysInWhichPhaseARankFailedNotWhereItIsByNow) {
  add_devices();
  add("a", "fail_in_prepare", two_ranks());
  const result::Reason reason = run().visits.at(0).reason;
  EXPECT_EQ(reason.text, "rank 1 (fake:1): as asked, in phase 'prepare'");
  EXPECT_EQ(reason.phase, "prepare");
}

TEST_F(RunTest, CancelsTheOtherRanksAfterAnErrorAndKeepsTheSet) {
  add_devices();
  settings_.rank_grace_s = 30;
  add("error", "meet", two_ranks(Json{{"failing_rank", 1}, {"how", "error"}}));
  add("after", "meet", two_ranks());
  const Recorded record = run();
  EXPECT_EQ(record.visits.at(0).outcome, Outcome::error);
  EXPECT_EQ(record.visits[0].reason.code, "plugin.error");
  EXPECT_EQ(record.visits[0].reason.rank, 1);
  EXPECT_THAT(record.visits[0].reason.text,
              testing::MatchesRegex("rank 1 \\(fake:1\\): .*, in phase 'sample' after 3 samples"));
  EXPECT_EQ(record.visits.at(1).outcome, Outcome::passed);
  EXPECT_TRUE(record.visits[0].notes.empty());
}

TEST_F(RunTest, NamesTheRankThatTheOthersWaitFor) {
  add_devices();
  CaseOptions options = two_ranks(Json{{"failing_rank", 1}, {"how", "hang"}});
  options.timeout_s = 0.05;
  const result::Visit visit = visit_of("meet", options);
  EXPECT_EQ(visit.outcome, Outcome::timeout);
  EXPECT_EQ(visit.reason.rank, 1);
  EXPECT_THAT(visit.reason.text, HasSubstr("rank 1 (fake:1) did not end within 0.05 s"));
}

TEST_F(RunTest, NamesTheRankThatTheOthersWaitForThoughItEndsWhenToldTo) {
  add_devices();
  CaseOptions options = two_ranks(Json{{"failing_rank", 1}, {"how", "late"}});
  options.timeout_s = 2;
  const result::Visit visit = visit_of("meet", options);
  EXPECT_EQ(visit.outcome, Outcome::timeout);
  EXPECT_EQ(visit.reason.rank, 1);
  EXPECT_EQ(visit.reason.device, "fake:1");
  EXPECT_EQ(visit.reason.text, "rank 1 (fake:1) did not end within 2 s, in phase 'sample' after 3 samples");
}

TEST_F(RunTest, NamesTheRankThatIsStoppedAmongThoseThatDoNotEnd) {
  add_devices();
  CaseOptions options = two_ranks(Json{{"failing_rank", 1}, {"how", "stop"}, {"stubborn_rank", 0}});
  options.timeout_s = 1;
  const result::Visit visit = visit_of("meet", options);
  EXPECT_EQ(visit.outcome, Outcome::timeout);
  EXPECT_EQ(visit.reason.rank, 1);
  EXPECT_EQ(visit.reason.text,
            "rank 1 (fake:1) did not end within 1 s: signal 19 (SIGSTOP) had stopped it, in phase 'sample' "
            "after 3 samples");
  EXPECT_THAT(visit.notes, ElementsAre("worker replaced: " + visit.reason.text));
}

TEST_F(RunTest, NamesAllRanksThatAreEquallyFarBehind) {
  add_devices();
  CaseOptions options;
  options.ranks = {{"fake:0"}, {"fake:1"}};
  options.timeout_s = 1;
  const result::Visit visit = visit_of("hang", options);
  EXPECT_EQ(visit.outcome, Outcome::timeout);
  EXPECT_EQ(visit.reason.rank, -1) << "nobody knows which";
  EXPECT_EQ(visit.reason.device, "");
  EXPECT_EQ(
      visit.reason.text,
      "rank 0 (fake:0) did not end within 1 s, in phase 'sample' after 2 samples, nor did rank 1 (fake:1)");
}

TEST_F(RunTest, BlamesTheSilentRankIfAnotherNoticesTheTimeoutFirst) {
  add_devices();
  CaseOptions options;
  options.ranks = {{}, {}, {"fake:1"}};
  const result::Visit visit = visit_of("impatient", options);
  EXPECT_EQ(visit.outcome, Outcome::timeout);
  EXPECT_EQ(visit.reason.code, "visit.timeout");
  EXPECT_EQ(visit.reason.rank, 2);
  EXPECT_EQ(visit.reason.device, "fake:1");
}

TEST_F(RunTest, SaysWhichCallsOfTheGroupDiffer) {
  add_devices();
  settings_.rank_grace_s = 30;
  add("a", "meet", two_ranks(Json{{"failing_rank", 1}, {"how", "other_call"}}));
  add("b", "meet", two_ranks());
  const Recorded record = run();
  const result::Visit& visit = record.visits.at(0);
  EXPECT_EQ(visit.outcome, Outcome::error);
  EXPECT_EQ(visit.reason.code, "rank.disagree");
  EXPECT_EQ(visit.reason.rank, -1);
  EXPECT_EQ(visit.reason.text,
            "rank 1 takes part in a broadcast of 8 bytes from rank 1, rank 0 in a barrier; all ranks must "
            "call the group alike");
  EXPECT_EQ(record.visits.at(1).outcome, Outcome::passed);
}

TEST_F(RunTest, RefusesRanksThatDeclareDifferentWork) {
  add_devices();
  const result::Visit visit = visit_of("meet", two_ranks(Json{{"work_skew", 0.5}}));
  EXPECT_EQ(visit.outcome, Outcome::error);
  EXPECT_EQ(visit.reason.code, "rank.disagree");
  EXPECT_EQ(
      visit.reason.text,
      "ranks 0 and 1 declare different work of an iteration for 'bandwidth', 1e+06 and 1500000; it must "
      "be equal, that of one rank, unless the traits say ASSAY_TRAIT_UNLIKE_RANKS");
}

TEST_F(RunTest, TakesTheMeanWorkOfRanksThatSayTheyAreUnlike) {
  add_devices();
  const result::Visit visit = visit_of("meet", two_ranks(Json{{"work_skew", 0.5}, {"unlike_above", 0}}));
  EXPECT_EQ(visit.outcome, Outcome::passed);
  EXPECT_EQ(visit.work.at("bandwidth"), 1.25e6) << "which rates count once for each rank";
}

TEST_F(RunTest, RefusesRanksOfWhichSomeSayTheyAreUnlike) {
  add_devices();
  const result::Visit visit = visit_of("meet", two_ranks(Json{{"work_skew", 0.5}, {"unlike_above", 1}}));
  EXPECT_EQ(visit.reason.code, "rank.disagree");
  EXPECT_EQ(visit.reason.text,
            "some ranks say that ranks do different work (ASSAY_TRAIT_UNLIKE_RANKS), and others do not");
}

TEST_F(RunTest, TakesOverwrittenSharedMemoryForAnErrorAndReplacesTheSet) {
  add("a", "overwrite");
  add("b", "count");
  const Recorded record = run();
  EXPECT_EQ(record.visits.at(0).outcome, Outcome::error);
  EXPECT_EQ(record.visits[0].reason.code, "wire.malformed");
  EXPECT_EQ(record.visits.at(1).ranks[0].facts.at("visit"), "1");
}

TEST_F(RunTest, ReplacesARankSetAfterADeath) {
  add_devices();
  add("crash", "meet", two_ranks(Json{{"failing_rank", 0}}));
  add("after", "meet", two_ranks());
  const Recorded record = run();
  EXPECT_EQ(record.visits.at(0).outcome, Outcome::crashed);
  EXPECT_EQ(record.visits.at(1).outcome, Outcome::passed);
}

std::vector<std::string> fact(const Recorded& record, const std::string& name) {
  std::vector<std::string> values;
  for (const result::Visit& visit : record.visits) values.push_back(visit.ranks.at(0).facts.at(name));
  return values;
}

TEST_F(RunTest, ServesCasesOfOneKeyWithOneWorker) {
  add("a", "count");
  add("b", "count");
  CaseOptions other;
  other.key = "other";
  add("c", "count", other);
  const std::vector<std::string> processes = fact(run(), "process");
  EXPECT_EQ(processes[0], processes[1]);
  EXPECT_NE(processes[1], processes[2]);
}

TEST_F(RunTest, StartsAFreshWorkerForEachRound) {
  add("a", "count");
  add_visit("a", 2);
  add_visit("a", 3);
  const Recorded record = run();
  const std::vector<std::string> processes = fact(record, "process");
  EXPECT_EQ(std::set<std::string>(processes.begin(), processes.end()).size(), 3u);
  EXPECT_EQ(record.visits[2].round, 3);
}

TEST_F(RunTest, StartsAFreshWorkerForEachVisitIfAsked) {
  settings_.isolation = Isolation::visit;
  add("a", "count");
  add("b", "count");
  EXPECT_THAT(fact(run(), "visit"), ElementsAre("1", "1"));
}

TEST_F(RunTest, ReplacesADirtyWorkerAndSaysSo) {
  add("a", "count");
  add("b", "dirty");
  add("c", "count");
  const Recorded record = run();
  EXPECT_EQ(record.visits[1].outcome, Outcome::passed);
  EXPECT_THAT(record.visits[1].notes, Contains("worker replaced: sticky device error"));
  EXPECT_EQ(record.visits[2].ranks[0].facts.at("visit"), "1");
}

TEST_F(RunTest, ShowsAWorkerTheDevicesOfAllCasesWithItsKey) {
  add_devices();
  CaseOptions options;
  options.parameters = Json{{"variables", {"FAKE_VISIBLE_DEVICES"}}};
  options.ranks = {{"fake:1"}};
  add("one", "describe", options);
  options.ranks = {{"fake:0"}};
  add("zero", "describe", options);
  options.key = "other";
  options.ranks = {{"fake:1"}};
  add("alone", "describe", options);
  const Recorded record = run();
  const auto facts = [&](std::size_t visit) { return record.visits.at(visit).ranks.at(0).facts; };
  EXPECT_EQ(facts(0).at("env.FAKE_VISIBLE_DEVICES"), "fake:0,fake:1");
  EXPECT_EQ(facts(0).at("device.fake:1"), "1 uuid/1");
  EXPECT_EQ(facts(1).at("device.fake:0"), "0 uuid/0");
  EXPECT_EQ(facts(2).at("env.FAKE_VISIBLE_DEVICES"), "fake:1");
  EXPECT_EQ(facts(2).at("device.fake:1"), "0 uuid/1");
}

TEST_F(RunTest, SetsNothingForABackendThatNeedsNoVisibility) {
  add_devices("backend all_visible");
  CaseOptions options;
  options.parameters = Json{{"variables", {"FAKE_VISIBLE_DEVICES"}}};
  options.ranks = {{"fake:1"}};
  const result::Visit visit = visit_of("describe", options);
  EXPECT_EQ(visit.ranks.at(0).facts.at("env.FAKE_VISIBLE_DEVICES"), "(unset)");
  EXPECT_EQ(visit.ranks[0].facts.at("device.fake:1"), "1 uuid/1");
}

}  // namespace
}  // namespace assay::run
