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
  EXPECT_EQ(WithReference("sum(time) <= 103% of reference", 1.06).status(), "failed");
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
  // Both rows scatter by 20 % between rounds, their ratio by 2 %, and the limit is one percent away.
  const Json judged =
      WithReference("bandwidth >= 98% of reference", 1.005, {1, 1.3, 0.8, 1.1, 0.9}, 0.02).judged();
  EXPECT_EQ(judged.at("status"), "undecided");
  const std::string why = judged.at("why");
  const std::size_t at = why.find(" more rounds should tell");
  ASSERT_NE(at, std::string::npos) << why;
  const int more = std::stoi(why.substr(why.rfind(' ', at - 1) + 1));
  EXPECT_TRUE(more > 5 && more < 50) << why;
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

// Rounds whose level differs by a factor, and in each a peak that was measured beside the work.
struct WithPeak {
  WithPeak(const std::string& expectation, double share,
           const std::vector<double>& levels = {1, 1.3, 0.8, 1.1, 0.9}, double wobble = 0) {
    world.manifest.benchmarks[0].metrics.push_back(
        World::metric("memory_bandwidth", "B/s", catalog::Direction::none, catalog::MetricKind::value));
    const std::string id =
        world.planned(world.suite_case("membw", {expectation}), {}, static_cast<int>(levels.size()));
    int round = 0;
    for (const double level : levels) {
      const double peak = 50e9 / level / share * (++round % 2 == 1 ? 1 + wobble : 1 - wobble);
      world.visit(id, World::around(0.02 * level, 50, 0.001, round), round).ranks[0].values = {
          {"memory_bandwidth", {}, peak}};
    }
  }
  [[nodiscard]] Json judged() const { return world.judged().at("expectations").at(0); }
  [[nodiscard]] std::string status() const { return judged().at("status"); }

  World world;
};

TEST(Paired, APeakMeasuredBesideTheWorkIsFacedRoundByRound) {
  EXPECT_EQ(WithPeak("bandwidth >= 70% of peak", 0.72).status(), "passed");
  EXPECT_EQ(WithPeak("bandwidth >= 70% of peak", 0.68).status(), "failed");
  EXPECT_EQ(WithPeak("bandwidth >= 70% of peak", 0.72, {1, 1, 1, 1, 1}, 0.1).status(), "undecided")
      << "the work is steady, and its peak is not";
  const std::string why = WithPeak("bandwidth >= 70% of peak", 0.72).judged().at("why");
  EXPECT_NE(why.find("measured: in the same process; round by round 103 % ["), std::string::npos) << why;
}

TEST(Paired, APeakOfFewRoundsIsKnownNoBetterThanARate) {
  EXPECT_EQ(WithPeak("bandwidth >= 70% of peak", 0.709, {1}).status(), "undecided")
      << "1 % for the run-to-run variation of each";
  EXPECT_EQ(WithPeak("bandwidth >= 70% of peak", 0.718, {1}).status(), "passed");
  EXPECT_EQ(WithPeak("bandwidth >= 70% of peak", 0.75, {1, 1}, 0.1).status(), "undecided")
      << "two rounds that differ";
}

TEST(Paired, APeakMeasuredBesideTheWorkIsPublishedWithItsInterval) {
  WithPeak rows("bandwidth >= 70% of peak", 0.72);
  const Json peak = metric_of(rows.world.judged(), "bandwidth").at("peak");
  EXPECT_NEAR(double(peak.at("share")), 0.72, 1e-3);
  EXPECT_LT(double(peak.at("interval").at("low")), 0.9 * double(peak.at("value")));
  EXPECT_GT(double(peak.at("interval").at("high")), 1.1 * double(peak.at("value")));
  WithPeak one("bandwidth >= 70% of peak", 0.72, {1});
  EXPECT_FALSE(metric_of(one.world.judged(), "bandwidth").at("peak").contains("interval"));
}

// The device has a cited peak of 80 GB/s.
TEST(Paired, APeakThatWasDisturbedHidesNoRateThatCannotBe) {
  const WithPeak above("bandwidth >= 10% of peak", 2, {0.5, 0.5, 0.5});
  EXPECT_EQ(above.world.judged().at("outcome"), "invalid") << "100 GB/s";
  const WithPeak below("bandwidth >= 10% of peak", 2, {0.7, 0.7, 0.7});
  EXPECT_EQ(below.status(), "no_reference") << "71 GB/s";
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
