// SPDX-License-Identifier: Apache-2.0
#include "judge/found_value.hpp"

#include "judge/findings_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// membw over batches, with a time for each and a scatter between rounds, on one kernel.
struct Batches {
  World world;
  explicit Batches(const std::vector<std::pair<std::string, double>>& times, double scatter = 0.001,
                   int rounds = 6) {
    const std::size_t written = world.suite_case("membw");
    int phase = 0;
    for (const auto& [batch, seconds] : times) {
      const std::string id = world.planned(written, {{"batch", batch}, {"kernel", "plain"}}, rounds);
      ++phase;
      for (int r = 1; r <= rounds; ++r)
        world.visit(id, World::around(seconds * (1 + scatter * ((r * phase) % 3 - 1)), 50, 0.0001, 1), r);
    }
  }
  Json judge(const std::string& claim, const std::string& rate = "membw[].bandwidth") {
    world.suite.findings = {finding(claim, {{"rate", rate}})};
    return world.document().at("findings").at(0);
  }
};

TEST(FoundValue, IsTheOneThatFallsBehindNoOther) {
  Batches batches({{"4", 0.03}, {"8", 0.02}, {"16", 0.025}});
  const Json yes = batches.judge("argmax(rate over batch) == 8");
  EXPECT_EQ(yes.at("verdict"), "confirmed") << yes;
  const Json& row = yes.at("rows").at(0);
  EXPECT_EQ(row.at("best"), "8");
  EXPECT_FALSE(row.contains("tied"));
  EXPECT_EQ(row.at("why"), "rate is largest at batch=8");
  EXPECT_EQ(row.at("right").at("id"), "membw[batch=16,kernel=plain]") << "the best of the others";
  EXPECT_NEAR(row.at("measured").at("value"), 1.25, 0.01);
  EXPECT_EQ(yes.at("asks").at("measured"), "rate at batch=8 / largest of the others");

  const Json no = batches.judge("argmax(rate over batch) == 16");
  EXPECT_EQ(no.at("verdict"), "refuted");
  EXPECT_EQ(no.at("why"), "rate is largest at batch=8");
  EXPECT_EQ(batches.judge("argmax(rate over batch) != 16").at("verdict"), "confirmed");
  EXPECT_EQ(batches.judge("4 == argmin(rate over batch)").at("verdict"), "confirmed");
  EXPECT_EQ(batches.judge("argmin(rate over batch) == 8").at("verdict"), "refuted");
}

TEST(FoundValue, NamesThoseThatCannotBeToldFromTheBest) {
  Batches batches({{"4", 0.03}, {"8", 0.01995}, {"16", 0.02}}, 0.005);
  const Json tied = batches.judge("argmax(rate over batch) == 8");
  EXPECT_EQ(tied.at("verdict"), "confirmed") << "behind 16 by less than counts";
  EXPECT_EQ(tied.at("rows").at(0).at("best"), "16");
  EXPECT_EQ(tied.at("rows").at(0).at("tied"), Json::array({"8"}));
  EXPECT_EQ(tied.at("why"), "rate is largest at batch=16; 8 cannot be distinguished from it");
}

TEST(FoundValue, IsOpenWhereTheScatterHidesIt) {
  Batches batches({{"4", 0.021}, {"8", 0.02}, {"16", 0.0205}}, 0.1);
  const Json open = batches.judge("argmax(rate over batch) == 8");
  EXPECT_EQ(open.at("verdict"), "undecided");
  EXPECT_GT(open.at("rows").at(0).at("more_rounds"), 0);
  Batches two({{"4", 0.03}, {"8", 0.02}}, 0.001, 2);
  const Json few = two.judge("argmax(rate over batch) == 8");
  EXPECT_EQ(few.at("verdict"), "undecided");
  EXPECT_NE(few.at("why").get<std::string>().find("at least three rounds"), std::string::npos)
      << few.at("why");
}

TEST(FoundValue, NeedsTheValueAndAnotherOne) {
  Batches batches({{"4", 0.03}, {"8", 0.02}});
  EXPECT_EQ(batches.judge("argmax(rate over batch) == 32").at("why"), "no row has a value at batch=32");
  EXPECT_EQ(batches.judge("argmax(rate over kernel) == 'plain'").at("why"),
            "there is no other value to compare kernel=plain with");
}

TEST(FoundValue, LeavesOutWhatThisMachineCannotRun) {
  Batches batches({{"4", 0.03}, {"8", 0.02}, {"16", 0.01}});
  for (result::Visit& visit : batches.world.visits)
    if (visit.case_id == "membw[batch=16,kernel=plain]") {
      visit.outcome = result::Outcome::skipped;
      visit.ranks.clear();
    }
  EXPECT_EQ(batches.judge("argmax(rate over batch) == 8").at("verdict"), "confirmed");
}

}  // namespace
}  // namespace assay::judge
