// SPDX-License-Identifier: Apache-2.0
//
// Which cases are judged together, and what a document says of earlier attempts and of visits that are
// missing.
#include "judge/dependency_closure.hpp"

#include "judge/earlier.hpp"
#include "judge/judge_test_world.hpp"
#include "model/document_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Ids = std::set<std::string>;

TEST(DependencyClosure, HasTheOtherMembersOfAGroupCheck) {
  World world;
  const std::size_t membw = world.suite_case("membw", {"spread(bandwidth over device) <= 5%"});
  for (const char* kernel : {"copy", "triad"})
    for (const char* device : {"host:0", "host:1"})
      world.planned(membw, {{"kernel", kernel}, {"device", device}});
  world.planned(world.suite_case("alone"), {});
  EXPECT_THAT(dependency_closure(world.suite, world.plan, {"membw[kernel=copy,device=host:1]"}),
              ElementsAre("membw[kernel=copy,device=host:0]", "membw[kernel=copy,device=host:1]"));
  EXPECT_THAT(dependency_closure(world.suite, world.plan, {"alone"}), ElementsAre("alone"));
}

TEST(DependencyClosure, FollowsWhatItsOwnMembersNeed) {
  World world;
  const std::size_t membw = world.suite_case(
      "membw", {"spread(bandwidth over device) <= 5%", "spread(bandwidth over kernel) <= 50%"});
  for (const char* kernel : {"copy", "triad"})
    for (const char* device : {"host:0", "host:1"})
      world.planned(membw, {{"kernel", kernel}, {"device", device}});
  EXPECT_EQ(dependency_closure(world.suite, world.plan, {"membw[kernel=copy,device=host:1]"}).size(), 4u);
}

TEST(DependencyClosure, HasTheReferenceOfARowButNotRowsOfAReference) {
  World world;
  const std::size_t membw = world.suite_case("membw");
  for (const char* kernel : {"copy", "read", "triad"}) {
    world.case_of(world.planned(membw, {{"kernel", kernel}})).reference = "membw[kernel=copy]";
  }
  EXPECT_THAT(dependency_closure(world.suite, world.plan, {"membw[kernel=triad]"}),
              ElementsAre("membw[kernel=copy]", "membw[kernel=triad]"));
  EXPECT_THAT(dependency_closure(world.suite, world.plan, {"membw[kernel=copy]"}),
              ElementsAre("membw[kernel=copy]"));
}

TEST(DependencyClosure, HasTheOperandsOfOneRowOfAFinding) {
  World world;
  const std::size_t membw = world.suite_case("membw");
  for (const char* bytes : {"1MiB", "1GiB"})
    for (const char* kernel : {"copy", "read", "triad"})
      world.planned(membw, {{"bytes", bytes}, {"kernel", kernel}});
  suite::SuiteFinding finding;
  finding.id.value = "faster";
  finding.claim = World::parse("membw[kernel=copy].bandwidth > membw[kernel=read].bandwidth");
  world.suite.findings.push_back(finding);
  EXPECT_THAT(dependency_closure(world.suite, world.plan, {"membw[bytes=1GiB,kernel=read]"}),
              ElementsAre("membw[bytes=1GiB,kernel=copy]", "membw[bytes=1GiB,kernel=read]"));
  EXPECT_THAT(dependency_closure(world.suite, world.plan, {"membw[bytes=1GiB,kernel=triad]"}),
              ElementsAre("membw[bytes=1GiB,kernel=triad]"));
  EXPECT_EQ(cases_of_finding(world.suite, world.plan, "faster").size(), 4u);
  EXPECT_THAT(cases_of_finding(world.suite, world.plan, "other"), IsEmpty());
}

TEST(DependencyClosure, LeavesOutWhatIsNotPlanned) {
  World world;
  world.planned(world.suite_case("membw"), {});
  EXPECT_THAT(dependency_closure(world.suite, world.plan, {"membw", "gone"}), ElementsAre("membw"));
}

Json flag_of(const Json& judged, const char* code) {
  for (const Json& flag : judged.at("flags"))
    if (flag.at("code") == code) return flag.at("text");
  return nullptr;
}

TEST(EarlierAttempts, AreListedBeforeTheNewOnesAndFlagged) {
  World first;
  const std::string id = first.planned(first.suite_case("membw", {"bandwidth >= 60 GB/s"}), {});
  first.visit(id, World::around(0.02));
  World second;
  second.planned(second.suite_case("membw", {"bandwidth >= 60 GB/s"}), {});
  second.visit(id, World::around(0.014));
  second.header.earlier = earlier_from_document(model::read_leniently<model::Document>(first.document()));
  const Json judged = second.judged();
  EXPECT_EQ(judged.at("outcome"), "passed");
  ASSERT_EQ(judged.at("visits").size(), 2u);
  EXPECT_EQ(judged.at("visits").at(0).at("attempt"), 1);
  EXPECT_EQ(judged.at("visits").at(0).at("outcome"), "failed") << "the visit ran well, the case did not pass";
  EXPECT_EQ(judged.at("visits").at(1).at("attempt"), 2);
  EXPECT_EQ(judged.at("visits").at(1).at("outcome"), "passed");
  EXPECT_THAT(flag_of(judged, "retried").get<std::string>(),
              HasSubstr("attempt 1, in run 20261121T083012Z-5f1c, was failed: bandwidth 50"));
  EXPECT_EQ(second.document().at("run").at("mode").at("failed_of").at("cases"), 1);
}

TEST(EarlierAttempts, AreFlaggedWhereTheCaseDidNotPassAgain) {
  World first;
  const std::string id = first.planned(first.suite_case("membw"), {});
  first.visit(id, World::around(0.02)).outcome = result::Outcome::crashed;
  World second;
  second.planned(second.suite_case("membw"), {});
  second.visit(id, World::around(0.02)).outcome = result::Outcome::timeout;
  second.header.earlier = earlier_from_document(model::read_leniently<model::Document>(first.document()));
  const Json judged = second.judged();
  EXPECT_EQ(judged.at("outcome"), "timeout");
  EXPECT_THAT(flag_of(judged, "retried").get<std::string>(), HasSubstr("was crashed"));
}

TEST(EarlierAttempts, FindingsWithoutACaseAreLeftOut) {
  World world;
  world.planned(world.suite_case("membw"), {{"kernel", "copy"}});
  suite::SuiteFinding finding;
  finding.id.value = "faster";
  finding.claim = World::parse("membw[kernel=copy].bandwidth > membw[kernel=read].bandwidth");
  finding.assert_confirmed = true;
  world.suite.findings.push_back(finding);
  EXPECT_EQ(world.document().at("findings").size(), 1u);
  world.header.earlier = {{"run", "x"}, {"of", 2}, {"cases", Json::object()}};
  EXPECT_EQ(world.document().at("findings").size(), 0u);
}

std::vector<std::string> codes(const Json& document) {
  std::vector<std::string> list;
  for (const Json& reason : document.at("verdict").at("reasons")) list.push_back(reason.at("code"));
  return list;
}

TEST(MissingVisits, OfAKilledRunAreNamed) {
  World world;
  const std::size_t membw = world.suite_case("membw");
  for (const char* kernel : {"a", "b", "c", "d", "e"}) world.planned(membw, {{"kernel", kernel}});
  world.visit("membw[kernel=a]", World::around(0.02));
  world.end.killed = true;
  world.end.damage = "of the journal its last line was cut off after 7 bytes";
  const Json document = world.document();
  EXPECT_EQ(document.at("verdict").at("outcome"), "interrupted");
  EXPECT_EQ(document.at("verdict").at("exit_code"), 137);
  EXPECT_EQ(document.at("run").at("mode").at("interrupted_by"), nullptr);
  ASSERT_THAT(codes(document), ElementsAre("run.incomplete"));
  EXPECT_EQ(document.at("verdict").at("reasons").at(0).at("text"),
            "the journal has no end, so the run was killed: 1 of 5 cases are complete; missing: "
            "membw[kernel=b], membw[kernel=c], membw[kernel=d] and 1 more; of the journal its last line was "
            "cut off after 7 bytes");
  EXPECT_EQ(document.at("cases").at(1).at("reason").at("code"), "run.incomplete");
}

TEST(MissingVisits, OfADamagedJournalAreAHoleInTheResult) {
  World world;
  const std::size_t membw = world.suite_case("membw");
  for (const char* kernel : {"a", "b"}) world.planned(membw, {{"kernel", kernel}});
  world.visit("membw[kernel=a]", World::around(0.02));
  world.end.damage = "of the journal 1 of its lines cannot be read, the first is line 3";
  const Json document = world.document();
  EXPECT_EQ(document.at("verdict").at("exit_code"), 5);
  EXPECT_THAT(codes(document), UnorderedElementsAre("run.incomplete", "case.not-run"));
}

TEST(RunDuration, PrefersTheMonotonicClockWhenItWasRecorded) {
  World world;
  world.visit(world.planned(world.suite_case("membw"), {}), World::around(0.02));
  EXPECT_EQ(world.document().at("run").at("duration_s"), 60);
  world.end.finished_at_s = world.header.started_at_s - 86400;
  world.end.duration_s = 12.5;
  EXPECT_EQ(world.document().at("run").at("duration_s"), 12.5);
}

}  // namespace
}  // namespace assay::judge
