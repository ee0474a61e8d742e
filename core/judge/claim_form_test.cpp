// SPDX-License-Identifier: Apache-2.0
//
// Claims on quantities of which there are no logarithms: zeros, quotients by zero, what no number holds.
#include "judge/findings_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// A printed value that is the same in each of three rounds.
struct Printed {
  World world;
  std::size_t written = world.suite_case("membw");
  void add(const std::string& kernel, double memory) {
    const std::string id = world.planned(written, {{"kernel", kernel}}, 3);
    for (int round = 1; round <= 3; ++round)
      world.visit(id, World::around(0.02), round).ranks.front().values = {{"memory", {}, memory}};
  }
  Json judge(const std::string& claim, const std::string& by = "") {
    suite::SuiteFinding asked = finding(claim, {{"x", "membw[kernel=a].memory"},
                                                {"y", "membw[kernel=b].memory"},
                                                {"z", "membw[kernel=c].memory"},
                                                {"w", "membw[kernel=d].memory"},
                                                {"all", "membw[].memory"}});
    asked.decided_by = by;
    world.suite.findings = {asked};
    return world.document().at("findings").at(0);
  }
};

TEST(ClaimForm, OfAMeasuredZeroIsItsDifferenceFromTheLimit) {
  Printed printed;
  printed.add("a", 0);
  printed.add("b", 7);
  const Json few = printed.judge("x <= 5 B");
  EXPECT_EQ(few.at("verdict"), "confirmed") << few;
  EXPECT_EQ(few.at("rows").at(0).at("measured").at("value"), 0);
  EXPECT_EQ(few.at("asks").at("limits"), Json{5.0});
  EXPECT_EQ(printed.judge("x >= 5 B").at("verdict"), "refuted");
  EXPECT_EQ(printed.judge("2 * x <= 5 B").at("verdict"), "confirmed");
  EXPECT_EQ(printed.judge("5 B >= x").at("verdict"), "confirmed");
  // All rows are held to the limit in one way.
  const Json worst = printed.judge("all <= 5 B", "worst");
  EXPECT_EQ(worst.at("verdict"), "refuted") << worst;
  EXPECT_TRUE(worst.at("rows").at(1).at("decides"));
  EXPECT_EQ(printed.judge("all <= 8 B", "all").at("verdict"), "confirmed");
}

// A tolerance is a share, which a difference does not have.
TEST(ClaimForm, OfSamenessStaysARatioBesideAZero) {
  Printed printed;
  printed.add("a", 0);
  printed.add("b", 7.1);
  for (const char* claim : {"all within 3% of 7 B", "all == 7 B"}) {
    const Json rows = printed.judge(claim).at("rows");
    EXPECT_EQ(rows.at(0).at("verdict"), "undecided") << claim;
    EXPECT_EQ(rows.at(1).at("verdict"), "confirmed") << claim;
  }
}

TEST(ClaimForm, OfASideThatIsZeroHasNoRatioAndShowsBoth) {
  Printed printed;
  printed.add("a", 0);
  printed.add("b", 7);
  const Json row = printed.judge("y > x").at("rows").at(0);
  EXPECT_EQ(row.at("why"), "a claim is judged by the ratio of its sides, but one side is not above zero");
  EXPECT_DOUBLE_EQ(row.at("left").at("value").get<double>(), 7);
  EXPECT_EQ(row.at("right").at("value"), 0);
}

TEST(ClaimForm, OfAQuotientByZeroSaysSo) {
  Printed printed;
  printed.add("a", 0);
  printed.add("b", 7);
  // A difference that rounding alone keeps from zero is zero.
  printed.add("c", 0.1 + 0.2);
  printed.add("d", 0.3);
  for (const char* claim : {"y / x >= 2", "y / (y - y) >= 1", "y / (y - y) < 1", "x / (y - y) == 1",
                            "y >= 3 * y * y / (x + x)", "y / (z - w) >= 1", "y / (w - z) <= 1"})
    EXPECT_NE(printed.judge(claim).at("why").get<std::string>().find("divides by zero"), std::string::npos)
        << claim;
}

TEST(ClaimForm, OfARatioThatNoNumberHoldsSaysSo) {
  Printed printed;
  printed.add("a", 1e308);
  printed.add("b", 1e-308);
  EXPECT_EQ(printed.judge("x > y").at("why"),
            "the ratio of its sides is too large, or too small, for a number");
}

}  // namespace
}  // namespace assay::judge
