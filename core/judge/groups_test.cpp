// SPDX-License-Identifier: Apache-2.0
#include "judge/groups.hpp"

#include "judge/judge_test_world.hpp"
#include "result/reasons.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// Two kernels on four devices; `seconds` of each device. The copy kernel always takes 20 ms.
struct Four {
  World world;
  std::vector<std::string> ids;
  explicit Four(const std::string& expectation,
                const std::vector<double>& seconds = {0.02, 0.02, 0.02, 0.02}) {
    const std::size_t written = world.suite_case("membw", {expectation});
    for (const char* kernel : {"triad", "copy"})
      for (int d = 0; d < 4; ++d) {
        ids.push_back(world.planned(written, {{"kernel", kernel}, {"device", "host:" + std::to_string(d)}}));
        const double value = std::string(kernel) == "triad" ? seconds[static_cast<std::size_t>(d)] : 0.02;
        world.visit(ids.back(), World::around(value, 50, 0.001, ids.size()));
      }
  }
};

TEST(Groups, AreARowForEachPointOfTheOtherAxes) {
  Four four("spread(bandwidth over device) <= 5%", {0.02, 0.02, 0.024, 0.02});
  const Json whole = four.world.document();
  ASSERT_EQ(whole.at("groups").size(), 2u);
  const Json& triad = whole.at("groups").at(0);
  EXPECT_EQ(triad.at("id"), "membw[kernel=triad]: spread(bandwidth over device) <= 5%");
  EXPECT_EQ(triad.at("status"), "failed");
  EXPECT_EQ(triad.at("outcome"), "failed");
  EXPECT_EQ(triad.at("over"), "device");
  EXPECT_EQ(triad.at("where").at("kernel"), "triad");
  EXPECT_NEAR(double(triad.at("value")), 1 - 20.0 / 24, 0.003);
  EXPECT_EQ(triad.at("limit"), 0.05);
  EXPECT_EQ(triad.at("members").at(2).at("label"), "host:2");
  EXPECT_NEAR(double(triad.at("members").at(2).at("value")), 1e9 / 0.024, 1e8);
  EXPECT_EQ(whole.at("groups").at(1).at("status"), "passed");
  EXPECT_EQ(whole.at("verdict").at("counts").at("failed"), 1);
  EXPECT_EQ(whole.at("verdict").at("counts").at("passed"), 9);
  EXPECT_EQ(whole.at("verdict").at("exit_code"), 1);
  for (const Json& each : whole.at("cases")) EXPECT_TRUE(each.at("expectations").empty());
}

TEST(Groups, AreNotJudgedWhenAMemberIsMissingAndSayWhich) {
  Four four("spread(bandwidth over device) <= 5%");
  four.world.visits[2].outcome = result::Outcome::crashed;
  const Json whole = four.world.document();
  const Json& group = whole.at("groups").at(0);
  EXPECT_EQ(group.at("status"), "not_judged");
  EXPECT_EQ(group.at("outcome"), "failed");
  EXPECT_EQ(group.at("why"), "membw[kernel=triad,device=host:2] has no result (crashed)");
  EXPECT_EQ(group.at("members").at(2).at("value"), nullptr);
}

TEST(Groups, OfWhichAFilterLeftMembersOutAreSkippedAndSaySo) {
  Four four("spread(bandwidth over device) <= 5%", {0.02, 0.02, 0.024, 0.02});
  const plan::PlannedCase left_out = four.world.plan.cases[2];  // triad on host:2, the slow one
  four.world.plan.cases.erase(four.world.plan.cases.begin() + 2);
  four.world.visits.erase(four.world.visits.begin() + 2);
  four.world.plan.left_out = {{left_out.suite_case, left_out.axes, left_out.expectations}};
  const Json whole = four.world.document();
  const Json& group = whole.at("groups").at(0);
  EXPECT_EQ(group.at("status"), "not_judged");
  EXPECT_EQ(group.at("outcome"), "skipped");
  EXPECT_EQ(group.at("why"), "--filter or --only left out 1 of its 4 members");
  EXPECT_EQ(group.at("operator"), "<=");
  EXPECT_EQ(whole.at("groups").at(1).at("status"), "passed") << "the copies are all there";
  EXPECT_EQ(whole.at("verdict").at("exit_code"), 0);
}

// One device, as on a node with a single GPU.
Json with_one_member(const std::string& expectation, bool strict = false) {
  World world;
  const std::size_t written = world.suite_case("membw", {expectation});
  for (const char* kernel : {"triad", "copy"})
    world.visit(world.planned(written, {{"kernel", kernel}, {"device", "host:0"}}),
                World::around(0.02, 50, 0.001, 7));
  world.options.strict = strict;
  return world.document();
}

TEST(Groups, OfOneMemberHaveNothingToCompareAndAreNotGreen) {
  for (const char* text : {"spread(bandwidth over device) <= 5%", "spread(bandwidth over device) >= 5%",
                           "max(time over device) <= 1.2 * min(time over device)",
                           "min(bandwidth over device) / mean(bandwidth over device) >= 90%"}) {
    const Json whole = with_one_member(text);
    const Json& group = whole.at("groups").at(0);
    EXPECT_EQ(group.at("status"), "not_judged") << text;
    EXPECT_EQ(group.at("outcome"), "failed") << text;
    EXPECT_EQ(group.at("value"), nullptr) << text;
    EXPECT_EQ(group.at("why"), "nothing to compare: device host:0 is its one member");
    EXPECT_GT(double(group.at("members").at(0).at("value")), 0) << "what it has is still shown";
    const Json& verdict = whole.at("verdict");
    EXPECT_EQ(verdict.at("exit_code"), 1) << "nothing was judged";
    EXPECT_EQ(verdict.at("counts").at("passed"), 2);
    EXPECT_EQ(verdict.at("counts").at("failed"), 2);
    ASSERT_EQ(verdict.at("reasons").size(), 1u) << "one line for all such groups";
    EXPECT_EQ(verdict.at("reasons").at(0).at("code"), "group.nothing-to-compare");
    EXPECT_EQ(verdict.at("reasons").at(0).at("severity"), "failure");
    EXPECT_EQ(verdict.at("reasons").at(0).at("subject"),
              std::string("membw[kernel=triad]: ") + text + " and 1 more");
  }
  EXPECT_EQ(with_one_member("spread(bandwidth over device) <= 5%", true).at("verdict").at("exit_code"), 1);
}

TEST(Groups, OfOneMemberAreSkippedWhereTheSuiteSaysSo) {
  World world;
  const std::size_t written = world.suite_case("membw", {"spread(bandwidth over device) <= 5%"});
  world.suite.cases[written].expect[0].skipped_alone = true;
  world.visit(world.planned(written, {{"device", "host:0"}}), World::around(0.02));
  const Json whole = world.document();
  EXPECT_EQ(whole.at("groups").at(0).at("outcome"), "skipped");
  EXPECT_EQ(whole.at("verdict").at("exit_code"), 0) << "the node itself can be accepted";
  EXPECT_EQ(whole.at("verdict").at("reasons").at(0).at("code"), "group.nothing-to-compare");
}

TEST(Groups, HoldAnExpectationThatNoRowFaces) {
  World world;
  const std::size_t written = world.suite_case("membw", {"bandwidth >= 1 GB/s"});
  world.suite.cases[written].expect[0].where = {{{"device", {}}, {}}};
  world.suite.cases[written].expect[0].where[0].second.emplace_back().text = "host:3";
  const std::string id = world.planned(written, {});
  world.case_of(id).expectations.clear();
  world.plan.unmatched = {{written, 0}};
  world.visit(id, World::around(0.02));
  const Json whole = world.document();
  EXPECT_EQ(whole.at("groups").at(0).at("status"), "not_judged");
  EXPECT_EQ(whole.at("groups").at(0).at("why"), "no row of this run has device=host:3");
  EXPECT_EQ(whole.at("verdict").at("exit_code"), 1);
}

TEST(Groups, OfOneMemberAreJudgedWhereTheyCanFail) {
  const auto status = [](const std::string& text) {
    return with_one_member(text).at("groups").at(0).at("status").get<std::string>();
  };
  EXPECT_EQ(status("min(bandwidth over device) >= 39 GB/s"), "passed");
  EXPECT_EQ(status("sum(bandwidth over device) >= 60 GB/s"), "failed");
  EXPECT_EQ(status("min(bandwidth over device) * max(time over device) >= 0.5 GB"), "passed");
}

TEST(Groups, OfOneMemberThatHasNoResultAreNotJudged) {
  World world;
  const std::size_t written = world.suite_case("membw", {"spread(bandwidth over device) <= 5%"});
  world.visit(world.planned(written, {{"device", "host:0"}}), World::around(0.02, 50, 0.001, 7));
  world.visits[0].outcome = result::Outcome::crashed;
  const Json whole = world.document();
  EXPECT_EQ(whole.at("groups").at(0).at("outcome"), "failed");
  EXPECT_EQ(whole.at("groups").at(0).at("why"), "membw[device=host:0] has no result (crashed)");
}

TEST(Groups, AreSkippedWhenAllMembersAre) {
  Four four("spread(bandwidth over device) <= 5%");
  four.world.visits.clear();
  for (plan::PlannedCase& each : four.world.plan.cases) {
    each.predetermined = result::Outcome::skipped;
    each.predetermined_reason.code = "needs.library";
  }
  const Json whole = four.world.document();
  EXPECT_EQ(whole.at("groups").at(0).at("outcome"), "skipped");
  EXPECT_EQ(whole.at("verdict").at("exit_code"), 6);
  EXPECT_EQ(whole.at("verdict").at("reasons").at(0).at("subject"),
            "unit");  // nothing ran; the eight skips are one more line
  EXPECT_EQ(whole.at("verdict").at("reasons").size(), 2u);
}

TEST(Groups, AggregateMinimumMaximumMeanAndSum) {
  const auto status = [](const std::string& text) {
    return Four(text, {0.02, 0.02, 0.025, 0.02})
        .world.document()
        .at("groups")
        .at(0)
        .at("status")
        .get<std::string>();
  };
  EXPECT_EQ(status("min(bandwidth over device) >= 39 GB/s"), "passed");
  EXPECT_EQ(status("min(bandwidth over device) >= 45 GB/s"), "failed");
  EXPECT_EQ(status("max(bandwidth over device) <= 52 GB/s"), "passed");
  EXPECT_EQ(status("mean(bandwidth over device) >= 47.4 GB/s"), "undecided");
  EXPECT_EQ(status("sum(bandwidth over device) >= 185 GB/s"), "passed");
  EXPECT_EQ(status("max(time over device) <= 1.2 * min(time over device)"), "failed");
}

TEST(Groups, TakeTheSumOfPeaksForASum) {
  EXPECT_EQ(
      Four("sum(bandwidth over device) >= 90% of peak").world.document().at("groups").at(0).at("status"),
      "failed");
  EXPECT_EQ(Four("sum(bandwidth over device) >= 60% of peak").world.document().at("groups").at(0).at("limit"),
            0.6 * 4 * 80e9);
  EXPECT_EQ(Four("min(bandwidth over device) >= 60% of peak").world.document().at("groups").at(0).at("limit"),
            0.6 * 80e9);
}

TEST(Groups, KeepTheSuitesNextStepForWhatFailed) {
  const auto next = [](Four& four) {
    for (auto& each : four.world.suite.cases) each.expect[0].say = "One is slower.";
    return four.world.document().at("verdict").at("reasons").at(0).at("next").get<std::string>();
  };
  Four failed("spread(bandwidth over device) <= 5%", {0.02, 0.02, 0.024, 0.02});
  EXPECT_EQ(next(failed), "One is slower.");
  Four undecided("mean(bandwidth over device) >= 50 GB/s");
  EXPECT_EQ(next(undecided), result::find_reason("group.undecided")->next);
  Four lacking("spread(bandwidth over device) <= 5%");
  lacking.world.visits[2].outcome = result::Outcome::skipped;
  lacking.world.visits[2].reason.code = "needs.library";
  for (auto& each : lacking.world.suite.cases) each.expect[0].say = "One is slower.";
  const Json document = lacking.world.document();
  for (const Json& reason : document.at("verdict").at("reasons"))
    EXPECT_NE(reason.at("next"), "One is slower.") << reason.at("code");
}

TEST(Groups, SayTheIntervalThatTheirLimitLiesIn) {
  Four four("mean(bandwidth over device) >= 50 GB/s");
  const std::string why = four.world.document().at("groups").at(0).at("why");
  EXPECT_NE(why.find("the limit lies inside the interval [49."), std::string::npos) << why;
  EXPECT_NE(why.find(" GB/s, 50."), std::string::npos) << why;
  EXPECT_NE(why.find(" GB/s]"), std::string::npos) << why;
}

TEST(Groups, UndecidedFailsUnderStrictOnly) {
  Four four("mean(bandwidth over device) >= 50 GB/s");
  EXPECT_EQ(four.world.document().at("groups").at(0).at("outcome"), "passed");
  EXPECT_EQ(four.world.document().at("verdict").at("undecided"), 2);
  EXPECT_NE(four.world.document().at("verdict").at("reasons").at(0).at("text").get<std::string>().find(
                "mean(bandwidth over device) 50 GB/s ["),
            std::string::npos);
  four.world.options.strict = true;
  EXPECT_EQ(four.world.document().at("groups").at(0).at("outcome"), "failed");
  EXPECT_EQ(four.world.document().at("verdict").at("exit_code"), 1);
}

}  // namespace
}  // namespace assay::judge
