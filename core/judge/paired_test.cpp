// SPDX-License-Identifier: Apache-2.0
//
// A row against its reference, round by round.
#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// Rounds whose level differs by a factor from one to the next; the row takes `slower` times as long in each.
struct WithReference {
  WithReference(const std::string& expectation, double slower,
                const std::vector<double>& levels = {1, 1.3, 0.8, 1.1, 0.9}, double wobble = 0) {
    const std::size_t written = world.suite_case("membw", {expectation});
    const int rounds = static_cast<int>(levels.size());
    reference = world.planned(written, {{"kernel", "copy"}}, rounds);
    row = world.planned(written, {{"kernel", "triad"}}, rounds);
    for (plan::PlannedCase& each : world.plan.cases) {
      each.reference = reference;
      each.has_reference_key = true;
    }
    for (int r = 1; r <= rounds; ++r) {
      const double level = levels[static_cast<std::size_t>(r - 1)];
      world.visit(reference, World::around(0.02 * level, 50, 0.001, 2 * r), r);
      world.visit(
          row,
          World::around(0.02 * level * slower * (r % 2 == 1 ? 1 + wobble : 1 - wobble), 50, 0.001, 2 * r + 1),
          r);
    }
  }
  [[nodiscard]] Json judged() const { return world.judged(row).at("expectations").at(0); }
  [[nodiscard]] std::string status() const { return judged().at("status"); }

  World world;
  std::string reference, row;
};

TEST(Paired, ARowFacesItsReferenceRoundByRound) {
  // Rounds differ by 60 %, rows within a round by 1 %: the intervals of both are wide, that of their ratio is not.
  EXPECT_EQ(WithReference("bandwidth >= 98% of reference", 1.01).status(), "passed");
  EXPECT_EQ(WithReference("bandwidth >= 98% of reference", 1.04).status(), "failed");
  EXPECT_EQ(WithReference("bandwidth >= 99% of reference", 1.01, {1, 1.3, 0.8, 1.1, 0.9}, 0.02).status(),
            "undecided")
      << "where the ratio itself varies";
  EXPECT_EQ(WithReference("time <= 103% of reference", 1.02).status(), "passed");
  EXPECT_EQ(WithReference("103% of reference >= time", 1.02).status(), "passed");
  EXPECT_EQ(WithReference("time / 2 <= 103% of reference", 2.0).status(), "passed")
      << "100 % of the reference";
  EXPECT_EQ(WithReference("max(time) <= 103% of reference", 1.06).status(), "failed");
  EXPECT_EQ(WithReference("-time >= -1.03 * 100% of reference", 1.02).status(), "passed")
      << "of negative values the difference";
}

TEST(Paired, TheReasonHasTheRatio) {
  const Json judged = WithReference("bandwidth >= 98% of reference", 1.04).judged();
  const std::string why = judged.at("why");
  EXPECT_NE(why.find("membw[kernel=copy]; round by round 98.1 % ["), std::string::npos) << why;
  EXPECT_NE(why.find("] of it in 5 rounds"), std::string::npos) << why;
}

TEST(Paired, ARatioThatIsOpenSaysByItsOwnScatterWhatItTakes) {
  // Both rows scatter by 20 % between rounds, their ratio by 2 %, and the limit is half a percent away.
  const Json judged =
      WithReference("bandwidth >= 98% of reference", 1.015, {1, 1.3, 0.8, 1.1, 0.9}, 0.02).judged();
  EXPECT_EQ(judged.at("status"), "undecided");
  const std::string why = judged.at("why");
  const std::size_t at = why.find(" more rounds should tell");
  ASSERT_NE(at, std::string::npos) << why;
  const int more = std::stoi(why.substr(why.rfind(' ', at - 1) + 1));
  EXPECT_TRUE(more > 20 && more < 200) << why;
}

TEST(Paired, CommonRoundsOnlyAreCompared) {
  WithReference rows("bandwidth >= 98% of reference", 1.01, {1, 1.3, 0.8, 1.1, 0.9});
  // The reference lost a round to a skip, which makes the case an error; what is judged still is.
  for (result::Visit& visit : rows.world.visits)
    if (visit.case_id == rows.reference && visit.round == 2) {
      visit.outcome = result::Outcome::skipped;
      visit.ranks.clear();
    }
  EXPECT_NE(rows.judged().at("why").get<std::string>().find("in 4 rounds"), std::string::npos)
      << rows.judged().dump();
}

TEST(Paired, TwoRoundsAreComparedByTheirIntervals) {
  const Json judged = WithReference("bandwidth >= 98% of reference", 1.01, {1, 1.3}).judged();
  EXPECT_EQ(judged.at("status"), "undecided");
  EXPECT_EQ(judged.at("why").get<std::string>().find("round by round"), std::string::npos);
}

TEST(Paired, TheReferenceIsEqualToItself) {
  WithReference rows("bandwidth == 100% of reference", 1.5);
  EXPECT_EQ(rows.world.judged(rows.reference).at("expectations").at(0).at("status"), "passed");
}

TEST(Paired, ObservationsStayWhatTheyAre) {
  WithReference rows("memory <= 100% of reference", 1);
  for (result::Visit& visit : rows.world.visits)
    visit.ranks[0].values = {{"memory", {}, visit.case_id == rows.row && visit.round == 4 ? 7.0 : 5.0}};
  EXPECT_EQ(rows.status(), "failed") << "one value is enough";
}

}  // namespace
}  // namespace assay::judge
