// SPDX-License-Identifier: Apache-2.0
#include "judge/deciding_rows.hpp"

#include "judge/findings_test_world.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::judge {
namespace {

// membw over sizes, at each of which the kernel nt is this many times as fast as plain, with a scatter between rounds.
struct Sizes {
  World world;
  struct SizedPair {
    std::string size;
    double faster, scatter;
  };
  explicit Sizes(const std::vector<SizedPair>& sizes, int rounds = 6) {
    const std::size_t written = world.suite_case("membw");
    for (const auto& [size, faster, scatter] : sizes)
      for (const bool plain : {true, false}) {
        const std::string id =
            world.planned(written, {{"bytes", size}, {"kernel", plain ? "plain" : "nt"}}, rounds);
        for (int r = 1; r <= rounds; ++r) {
          const double around = plain ? 1 : (1 + scatter * (r % 2 == 0 ? 1 : -1)) / faster;
          world.visit(id, World::around(0.2 * around, 50, 0.0001, 1), r);
        }
      }
  }
  Json judge(const std::string& decided_by, const std::string& claim = "nt >= 1.1 * plain") {
    suite::SuiteFinding one =
        finding(claim, {{"nt", "membw[kernel=nt].bandwidth"}, {"plain", "membw[kernel=plain].bandwidth"}});
    one.decided_by = decided_by;
    world.suite.findings = {one};
    return world.document().at("findings").at(0);
  }
};

std::string deciding(const Json& one) {
  std::string found;
  for (const Json& row : one.at("rows"))
    if (row.contains("decides")) found += row.at("label").get<std::string>() + " ";
  return found;
}

TEST(DecidingRows, OneRowThatFailsRefutesAClaimForAllOfThem) {
  Sizes sizes({{"1MiB", 1.3, 0.001}, {"1GiB", 1.0, 0.001}});
  EXPECT_EQ(sizes.judge("").at("verdict"), "mixed");
  const Json all = sizes.judge("all");
  EXPECT_EQ(all.at("verdict"), "refuted");
  EXPECT_EQ(all.at("for"), "all");
  EXPECT_EQ(deciding(all), "bytes=1GiB ");
  const Json any = sizes.judge("any");
  EXPECT_EQ(any.at("verdict"), "confirmed");
  EXPECT_EQ(deciding(any), "bytes=1MiB ");
}

TEST(DecidingRows, AnOpenRowLeavesAClaimForAllOpenButNotOneForAny) {
  Sizes sizes({{"1MiB", 1.3, 0.001}, {"1GiB", 1.1, 0.1}});
  const Json all = sizes.judge("all");
  EXPECT_EQ(all.at("verdict"), "undecided");
  EXPECT_EQ(all.at("why"), "confirmed in 1 of 2 rows; the others are not decided");
  EXPECT_EQ(sizes.judge("any").at("verdict"), "confirmed");
}

TEST(DecidingRows, TheWorstRowDecidesWhateverTheOthersSay) {
  Sizes sizes({{"1MiB", 1.6, 0.6}, {"2MiB", 1.2, 0.001}, {"1GiB", 1.3, 0.001}});
  EXPECT_EQ(sizes.judge("all").at("verdict"), "undecided") << "1MiB is noisy";
  const Json worst = sizes.judge("worst");
  EXPECT_EQ(worst.at("verdict"), "confirmed");
  EXPECT_EQ(deciding(worst), "bytes=2MiB ");
  EXPECT_EQ(deciding(sizes.judge("worst", "plain <= 0.9 * nt")), "bytes=2MiB ");
  EXPECT_EQ(deciding(sizes.judge("worst", "nt == plain")), "bytes=1MiB ") << "the largest difference";
}

TEST(DecidingRows, TheWorstIsNotKnownWhereARowHasNoValue) {
  Sizes sizes({{"1MiB", 1.3, 0.001}, {"1GiB", 1.2, 0.001}});
  std::erase_if(sizes.world.visits,
                [](const result::Visit& visit) { return visit.case_id == "membw[bytes=1GiB,kernel=nt]"; });
  const Json worst = sizes.judge("worst");
  EXPECT_EQ(worst.at("verdict"), "undecided");
  EXPECT_NE(worst.at("why").get<std::string>().find("the row at bytes=1GiB has no value"), std::string::npos)
      << worst.at("why");
}

// Among many rows that are as the claim's limit, each is beyond it by chance in 2.5 % of runs.
TEST(DecidingRows, ARowThatDecidesAloneHoldsAmongAllOfThem) {
  std::vector<Sizes::SizedPair> many = {{"1MiB", 1.0, 0.07}};
  for (int i = 2; i <= 20; ++i) many.push_back({std::to_string(i) + "MiB", 1.3, 0.001});
  Sizes one({many.front()}), twenty(many);
  EXPECT_EQ(one.judge("all").at("verdict"), "refuted");
  const Json all = twenty.judge("all");
  EXPECT_EQ(all.at("rows").at(0).at("verdict"), "refuted");
  EXPECT_EQ(all.at("verdict"), "undecided");
  EXPECT_EQ(all.at("why"), "refuted in 1 of 20 rows, which among so many may be chance");
  EXPECT_NE(twenty.judge("worst").at("why").get<std::string>().find("may be chance"), std::string::npos);
}

TEST(DecidingRows, IntervalsOfManyAreWiderByStudentsQuantiles) {
  // t of 5 degrees of freedom: 2.5706 at 97.5 %, 3.1634 at 98.75 %.
  const ValueRange difference = among({-1, 1}, 6, 2, ClaimForm::difference);
  EXPECT_NEAR(difference.high, 3.1634 / 2.5706, 1e-4);
  EXPECT_NEAR(difference.low, -3.1634 / 2.5706, 1e-4);
  const ValueRange ratio = among({2, 8}, 6, 2, ClaimForm::ratio);
  EXPECT_NEAR(std::log(ratio.high / 4) / std::log(2.0), 3.1634 / 2.5706, 1e-4);
  EXPECT_NEAR(ratio.low * ratio.high, 16, 1e-9);
  EXPECT_EQ(among({2, 8}, 6, 1, ClaimForm::ratio).high, 8);
}

}  // namespace
}  // namespace assay::judge
