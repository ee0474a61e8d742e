// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_test_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using DevicesByRank = std::vector<std::vector<std::string>>;

DevicesByRank ranks_of(const PlannedCase& planned) {
  DevicesByRank ranks;
  for (const RankPlacement& rank : planned.placement.ranks) ranks.push_back(rank.devices);
  return ranks;
}

// Planned on four GPUs.
Planned placed(const std::string& keys) { return plan_suite("cases:\n  - {id: a, " + keys + "}\n"); }

TEST(Devices, UnsetAreTheFewestThatTheBenchmarkTakes) {
  EXPECT_EQ(ranks_of(placed("uses: gemm@cuda").plan.cases.at(0)), (DevicesByRank{{"cuda:0"}}));
  EXPECT_EQ(ranks_of(placed("uses: p2p").plan.cases.at(0)), (DevicesByRank{{"cuda:0", "cuda:1"}}));
  EXPECT_EQ(ranks_of(placed("uses: collective, with: {op: broadcast}").plan.cases.at(0)),
            (DevicesByRank{{"cuda:0"}, {"cuda:1"}}));
  EXPECT_THAT(placed("uses: gemm@cuda").ids(), ElementsAre("a"));
}

TEST(Devices, EachIsACaseOfItsOwn) {
  const Planned planned = placed("uses: gemm@cuda, devices: each, matrix: {dtype: [bf16]}");

  EXPECT_THAT(planned.ids(), ElementsAre("a[dtype=bf16,device=cuda:0]", "a[dtype=bf16,device=cuda:1]",
                                         "a[dtype=bf16,device=cuda:2]", "a[dtype=bf16,device=cuda:3]"));
  EXPECT_EQ(planned.plan.cases[2].comparison_key, "a[dtype=bf16]");
  EXPECT_EQ(ranks_of(planned.plan.cases[2]), (DevicesByRank{{"cuda:2"}}));
}

TEST(Devices, UnderLoadTogetherAreRanksOfOneCase) {
  const Planned planned = placed("uses: gemm@cuda, devices: each, matrix: {load: [alone, together]}");

  EXPECT_EQ(planned.problems, "");
  ASSERT_EQ(planned.plan.cases.size(), 5U);
  EXPECT_EQ(planned.plan.cases[0].id, "a[load=alone,device=cuda:0]");
  EXPECT_EQ(planned.plan.cases[4].id, "a[load=together]");
  EXPECT_EQ(ranks_of(planned.plan.cases[4]), (DevicesByRank{{"cuda:0"}, {"cuda:1"}, {"cuda:2"}, {"cuda:3"}}));
  EXPECT_EQ(planned.plan.cases[4].placement.load, "together");
}

TEST(Devices, OfWhichThereIsOneAreAloneUnderLoadTogether) {
  const auto inventory = example_inventory(1);
  const Planned planned =
      plan_suite("cases:\n  - {id: a, uses: gemm@cuda, devices: each, load: together}\n", &inventory);

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(planned.ids(), ElementsAre("a[device=cuda:0]"));
  EXPECT_EQ(ranks_of(planned.plan.cases[0]), (DevicesByRank{{"cuda:0"}}));
  EXPECT_EQ(planned.plan.cases[0].placement.load, "alone");
  EXPECT_EQ(planned.plan.cases[0].comparison_key, "a");
}

TEST(Devices, AllAreOneRankEach) {
  const Planned planned = placed("uses: collective, with: {op: broadcast}, devices: all");

  EXPECT_THAT(planned.ids(), ElementsAre("a"));
  EXPECT_EQ(planned.plan.cases[0].placement.ranks.size(), 4U);
}

TEST(Devices, InPairsAreOrderedPairs) {
  const Planned planned = placed("uses: p2p, devices: pairs");

  EXPECT_EQ(planned.plan.cases.size(), 12U);
  EXPECT_EQ(planned.plan.cases[0].id, "a[device=cuda:0-cuda:1]");
  EXPECT_EQ(ranks_of(planned.plan.cases[11]), (DevicesByRank{{"cuda:3", "cuda:2"}}));
}

TEST(Devices, CountedOrNamedAreOneCaseIfTheBenchmarkSpansThem) {
  EXPECT_EQ(
      placed("uses: collective, with: {op: broadcast}, devices: 3").plan.cases.at(0).placement.ranks.size(),
      3U);
  EXPECT_EQ(
      ranks_of(placed("uses: collective, with: {op: broadcast}, devices: [cuda:3, cuda:1]").plan.cases.at(0)),
      (DevicesByRank{{"cuda:3"}, {"cuda:1"}}));
  EXPECT_THAT(placed("uses: gemm@cuda, devices: [cuda:3, cuda:1]").ids(),
              ElementsAre("a[device=cuda:3]", "a[device=cuda:1]"));
}

TEST(Devices, CountedAlongAnAxisChangeTheRanks) {
  const Planned planned = placed("uses: collective, with: {op: broadcast}, matrix: {devices: [2, 4]}");

  EXPECT_THAT(planned.ids(), ElementsAre("a[devices=2]", "a[devices=4]"));
  EXPECT_EQ(planned.plan.cases[1].placement.ranks.size(), 4U);
}

TEST(Devices, OfTheHostAreSharedByRanks) {
  const Planned planned = placed("uses: team, ranks: 4");

  EXPECT_EQ(planned.problems, "");
  EXPECT_EQ(ranks_of(planned.plan.cases.at(0)),
            (DevicesByRank{{"host:0"}, {"host:0"}, {"host:0"}, {"host:0"}}));
}

TEST(Devices, ThatTheBenchmarkCannotUseAreAnError) {
  EXPECT_THAT(
      placed("uses: gemm@cuda, devices: all").problems,
      StartsWith("t.yaml:4:39: error: 'gemm' runs on one device, not on all at once (write 'devices: each'"));
  EXPECT_THAT(placed("uses: gemm@cuda, ranks: 2").problems, HasSubstr("'gemm' takes 1 rank, not 2"));
  EXPECT_THAT(placed("uses: team, ranks: 9").problems, HasSubstr("'team' takes 1 to 8 ranks, not 9"));
  EXPECT_THAT(placed("uses: p2p, devices: each").problems, HasSubstr("needs more than one device"));
  EXPECT_THAT(placed("uses: p2p, devices: 3").problems, HasSubstr("not on 3 cuda devices"));
  EXPECT_THAT(placed("uses: gemm@cuda, devices: pairs").problems, HasSubstr("write 'devices: each'"));
  EXPECT_THAT(placed("uses: gemm@cuda, devices: [host:0]").problems,
              HasSubstr("'host:0' is not a cuda device"));
  EXPECT_THAT(placed("uses: collective, with: {op: broadcast}, devices: 4, ranks: 3").problems,
              HasSubstr("4 cuda devices can't be shared evenly by 3 ranks"));
}

TEST(Devices, StaySymbolicWithoutAnInventory) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, devices: each}\n"
      "  - {id: b, uses: p2p, devices: pairs}\n"
      "  - {id: c, uses: collective, with: {op: broadcast}, devices: 8, matrix: {bind: [local]}}\n"
      "  - {id: d, uses: gemm@cuda, devices: 8}\n",
      nullptr);

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(planned.ids(), ElementsAre("a[device=cuda:*]", "b[device=cuda:*-cuda:*]", "c[bind=local]",
                                         "d[device=cuda:*]"));
  EXPECT_EQ(planned.plan.cases[2].placement.ranks.size(), 8U);
  EXPECT_FALSE(planned.plan.cases[2].predetermined);
  EXPECT_THAT(planned.plan.unmet, IsEmpty());
}

}  // namespace
}  // namespace assay::plan
