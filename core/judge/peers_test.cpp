// SPDX-License-Identifier: Apache-2.0
#include "judge/judge_test_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::judge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Devices that took this many times 2 ms each for 1 GB.
struct PeerNode {
  World world;
  std::size_t written;
  explicit PeerNode(const std::vector<double>& times,
                    const std::string& limit = "bandwidth >= 98% of peers") {
    written = world.suite_case("membw", {limit});
    for (std::size_t i = 0; i < times.size(); ++i) add(i, times[i]);
  }
  void add(std::size_t i, double time, std::size_t samples = 50) {
    const std::string name = "host:" + std::to_string(i);
    if (world.inventory.find_device(name) == nullptr) {
      system::Device device = world.inventory.backends[0].devices[0];
      device.name = name;
      world.inventory.backends[0].devices.push_back(device);
    }
    world.visit(world.planned(written, {{"device", name}}), World::around(time / 500, samples, 1e-5, i));
  }
  std::vector<std::string> statuses() const {
    std::vector<std::string> all;
    const Json whole = world.document();
    for (const Json& each : whole.at("cases")) all.push_back(each.at("expectations").at(0).at("status"));
    return all;
  }
  Json verdict() const { return world.document().at("verdict"); }
};

TEST(Peers, OneSlowDeviceOfEightIsNamedWithItsDistance) {
  const PeerNode node({10, 10.01, 9.99, 10.5, 10, 10.02, 10, 10.01});
  EXPECT_THAT(node.statuses(),
              ElementsAre("passed", "passed", "passed", "failed", "passed", "passed", "passed", "passed"));
  const Json verdict = node.verdict();
  EXPECT_EQ(verdict.at("exit_code"), 1);
  EXPECT_EQ(verdict.at("reasons").at(0).at("code"), "expectation.failed");
  EXPECT_EQ(verdict.at("reasons").at(0).at("subject"), "membw[device=host:3]");
  EXPECT_THAT(
      verdict.at("reasons").at(0).at("text"),
      HasSubstr(
          "host:3: bandwidth 4.8 % below the median of the other 7 (47.6 GB/s against 50 GB/s), limit 2.0 % below"));
}

TEST(Peers, WhatIsLessIsBetterHasItsLimitAbove) {
  const PeerNode node({10, 10.01, 9.99, 10.5, 10, 10.02, 10, 10.01}, "102% of peers >= time");
  EXPECT_THAT(node.statuses(),
              ElementsAre("passed", "passed", "passed", "failed", "passed", "passed", "passed", "passed"));
  EXPECT_THAT(node.verdict().at("reasons").at(0).at("text"),
              HasSubstr("host:3: time 5.0 % above the median of the other 7"));
}

// Beyond the limit, and no farther than these devices scatter anyway: nobody is blamed, and nothing is green.
TEST(Peers, DevicesThatDifferAnywayLeaveItUndecided) {
  const PeerNode node({10, 10.4, 9.7, 10.6});
  EXPECT_THAT(node.statuses(), ElementsAre("passed", "undecided", "passed", "undecided"));
  const Json verdict = node.verdict();
  EXPECT_EQ(verdict.at("exit_code"), 0);
  EXPECT_EQ(verdict.at("undecided"), 2);
  EXPECT_THAT(verdict.at("reasons").at(0).at("text"), HasSubstr("may be chance"));
}

TEST(Peers, WhereEverythingMustBeDecidedUndecidedIsNotGreen) {
  PeerNode node({10, 10.4, 9.7, 10.6});
  node.world.suite.policy.decided = true;
  EXPECT_EQ(node.verdict().at("exit_code"), 1);
  EXPECT_EQ(node.verdict().at("reasons").at(0).at("severity"), "failure");
  PeerNode skipped({10, 10.01, 9.99, 10, 10.02});
  skipped.world.suite.policy.decided = true;
  skipped.world.visits[4].outcome = result::Outcome::skipped;
  skipped.world.visits[4].ranks.clear();
  EXPECT_EQ(skipped.verdict().at("exit_code"), 0);
}

// Four of eight are slow: for each of these the median of the others is healthy.
TEST(Peers, HalfOfANodeBeingSlowIsNotGreen) {
  const PeerNode node({10, 10.5, 10, 10.5, 10, 10.5, 10, 10.5});
  EXPECT_THAT(node.statuses(), ElementsAre("passed", "undecided", "passed", "undecided", "passed",
                                           "undecided", "passed", "undecided"));
}

TEST(Peers, WithFewerThanThreeOthersThereIsNoReference) {
  const PeerNode node({10, 10, 12});
  EXPECT_THAT(node.statuses(), ElementsAre("no_reference", "no_reference", "no_reference"));
  const Json verdict = node.verdict();
  EXPECT_EQ(verdict.at("exit_code"), 1);
  EXPECT_THAT(verdict.at("reasons").at(0).at("text"),
              HasSubstr("takes 3 others of the same model (Example CPU), and there are 2"));
}

TEST(Peers, OneDeviceIsLeftOutWhereTheSuiteSaysSoAndTheReportSaysItToo) {
  PeerNode node({10});
  node.world.suite.cases[node.written].expect[0].skipped_alone = true;
  EXPECT_THAT(node.statuses(), ElementsAre("no_reference"));
  const Json verdict = node.verdict();
  EXPECT_EQ(verdict.at("exit_code"), 0);
  EXPECT_EQ(verdict.at("reasons").at(0).at("code"), "no_peers");
  EXPECT_EQ(verdict.at("reasons").at(0).at("severity"), "warning");
  EXPECT_THAT(verdict.at("reasons").at(0).at("text"), HasSubstr("and there are none"));
}

TEST(Peers, DevicesOfAnotherModelAndThoseWithoutAResultAreNone) {
  PeerNode node({10, 10, 10, 10.5});
  node.world.inventory.backends[0].devices[0].model = "Other CPU";
  EXPECT_THAT(node.statuses(), ElementsAre("no_reference", "no_reference", "no_reference", "no_reference"));
  PeerNode failed({10, 10, 10, 10.5});
  failed.world.visits[1].outcome = result::Outcome::crashed;
  EXPECT_THAT(failed.statuses(), ElementsAre("no_reference", "not_judged", "no_reference", "no_reference"));
  EXPECT_THAT(failed.world.judged("membw[device=host:0]").at("expectations").at(0).at("why"),
              HasSubstr("there are 3, of which 2 have a result"));
}

TEST(Peers, ThatNoLimitIsForArePeersAllTheSame) {
  PeerNode node({10, 10.01, 9.99, 10.5});
  for (std::size_t i = 0; i < 3; ++i) node.world.plan.cases[i].expectations.clear();
  const Json judged = node.world.judged("membw[device=host:3]");
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "failed");
}

// The limit of chance is shared by all comparisons of the run.
TEST(Peers, MoreRowsLeaveMoreToChance) {
  const std::vector<double> times{10, 10.02, 9.98, 10.5};
  EXPECT_EQ(PeerNode(times).statuses().back(), "failed");
  PeerNode more(times);
  for (const char* kernel : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
    for (std::size_t i = 0; i < times.size(); ++i)
      more.world.visit(
          more.world.planned(more.written, {{"kernel", kernel}, {"device", "host:" + std::to_string(i)}}),
          World::around(0.02, 50, 1e-5, i));
  EXPECT_EQ(more.statuses()[3], "undecided");
}

TEST(Peers, ASingleSampleDecidesNothing) {
  PeerNode node({10, 10.01, 9.99});
  node.add(3, 11, 1);
  EXPECT_EQ(node.statuses().back(), "undecided");
}

TEST(Peers, OnlyWhatIsMeasuredIsCompared) {
  for (const char* other :
       {"memory >= 98% of peers", "2 * bandwidth >= 98% of peers", "bandwidth >= 98% of peers + 1 GB/s"})
    EXPECT_THAT(PeerNode({10, 10, 10, 10}, other).statuses(), testing::Each("not_judged")) << other;
}

}  // namespace
}  // namespace assay::judge
