// SPDX-License-Identifier: Apache-2.0
//
// Claims about what is observed: every value that was seen counts, and no mean speaks for it.
#include "judge/case_result.hpp"
#include "judge/findings_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// A command's count, with the values of each round.
struct Counted {
  World world;
  std::size_t written = 0;

  explicit Counted(catalog::Direction direction = catalog::Direction::lower) {
    catalog::MetricDeclaration errors = World::metric("errors", "1", direction, catalog::MetricKind::value);
    errors.reported = true;
    world.manifest.benchmarks.front().metrics.push_back(errors);
    written = world.suite_case("membw");
  }
  void add(const std::string& kernel, const std::vector<std::vector<double>>& rounds) {
    const std::string id = world.planned(written, {{"kernel", kernel}}, static_cast<int>(rounds.size()));
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      result::Visit& visit = world.visit(id, World::around(0.02, rounds[r].size()), static_cast<int>(r) + 1);
      for (const double value : rounds[r]) visit.ranks[0].values.push_back({"errors", {}, value});
    }
  }
  Json judge(const std::string& claim, const std::string& by = "") {
    suite::SuiteFinding asked = finding(claim, {{"a", "membw[kernel=a].errors"},
                                                {"b", "membw[kernel=b].errors"},
                                                {"all", "membw[].errors"},
                                                {"worst", "max(membw[].errors over kernel)"}});
    asked.decided_by = by;
    world.suite.findings = {asked};
    return world.document().at("findings").at(0);
  }
};

TEST(ObservedClaims, FailByOneValueOfARound) {
  Counted counted;
  counted.add("a", {{0, 0, 900}, {0, 0, 0}, {0, 0, 0}});
  for (const char* claim : {"a == 0", "a <= 5", "a < 1", "2 * a <= 5"}) {
    const Json found = counted.judge(claim);
    EXPECT_EQ(found.at("verdict"), "refuted") << claim;
    EXPECT_EQ(found.at("rows").at(0).at("measured").at("value").get<double>(), claim[0] == '2' ? 1800 : 900);
  }
  EXPECT_EQ(counted.judge("a <= 900").at("verdict"), "confirmed");
  EXPECT_EQ(counted.judge("a > 1").at("verdict"), "refuted") << "most values are 0";
}

TEST(ObservedClaims, FailByOneRoundOfTwenty) {
  Counted counted;
  std::vector<std::vector<double>> rounds(20, {0});
  rounds[4] = {4};
  counted.add("a", rounds);
  EXPECT_EQ(counted.judge("a < 1").at("verdict"), "refuted");
  EXPECT_EQ(counted.judge("a == 0").at("verdict"), "refuted") << "an observed violation is never undecided";
  EXPECT_EQ(counted.judge("a <= 4").at("verdict"), "confirmed");
}

TEST(ObservedClaims, AreDecidedByOneRound) {
  Counted counted;
  counted.add("a", {{3}});
  EXPECT_EQ(counted.judge("a <= 5").at("verdict"), "confirmed");
  EXPECT_EQ(counted.judge("a <= 2").at("verdict"), "refuted");
}

TEST(ObservedClaims, CompareTwoCountsRoundByRound) {
  Counted counted;
  counted.add("a", {{10}, {20}, {30}});
  counted.add("b", {{9}, {19}, {29}});
  EXPECT_EQ(counted.judge("a > 1.01 * b").at("verdict"), "confirmed");
  EXPECT_EQ(counted.judge("a > 1.1 * b").at("verdict"), "refuted") << "29 and 30 differ by 3 %";
  EXPECT_EQ(counted.judge("a - b == 1").at("verdict"), "confirmed");
}

TEST(ObservedClaims, GoOverRowsByEveryValue) {
  Counted counted;
  counted.add("a", {{0}, {0}, {0}});
  counted.add("b", {{0}, {7}, {0}});
  const Json found = counted.judge("worst <= 5");
  EXPECT_EQ(found.at("verdict"), "refuted") << found;
}

// What one row of many shows by chance is of intervals; a count is what it is.
TEST(ObservedClaims, DecideAmongManyRowsByTheirValues) {
  Counted counted;
  counted.add("a", {{1}, {2}, {3}});
  counted.add("b", {{1}, {2}, {4}});
  for (const char* by : {"all", "worst"}) {
    EXPECT_EQ(counted.judge("all <= 4", by).at("verdict"), "confirmed") << by;
    EXPECT_EQ(counted.judge("all <= 3", by).at("verdict"), "refuted") << by;
  }
}

TEST(ObservedClaims, ArePublishedByTheWorstThatWasSeen) {
  for (const auto& [direction, worst] :
       {std::pair{catalog::Direction::lower, 900.0}, std::pair{catalog::Direction::higher, 1.0}}) {
    Counted counted(direction);
    counted.add("a", {{1, 2, 900}, {5, 6, 7}, {8, 9, 10}});
    const Json published = metric_of(counted.world.judged(), "errors");
    EXPECT_EQ(published.at("value"), worst);
    EXPECT_TRUE(published.at("interval").is_null()) << "an interval of a mean says nothing of a count";
    EXPECT_EQ(published.at("no_interval").at("code"), kSeenAsItIs);
  }
}

}  // namespace
}  // namespace assay::judge
