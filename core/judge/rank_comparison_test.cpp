// SPDX-License-Identifier: Apache-2.0
#include "judge/rank_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace assay::judge {
namespace {

// Ranks whose times are 1 s with this noise; `slow` is so much slower.
VisitTimes round_of(std::size_t ranks, std::size_t samples, double noise, double slow, unsigned seed,
                    std::size_t slow_rank = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> error(0, noise);
  result::Visit visit;
  visit.measurement.clock = "host";
  for (std::size_t r = 0; r < ranks; ++r) {
    result::RankRecord& record = visit.ranks.emplace_back();
    record.rank = static_cast<int>(r);
    record.series.iterations = 1;
    for (std::size_t i = 0; i < samples; ++i) {
      record.series.host_s.push_back((1 + error(random)) * (r == slow_rank ? 1 + slow : 1));
      record.series.device_s.push_back(record.series.host_s.back());
      record.series.begin_s.push_back(static_cast<double>(i));
    }
  }
  return reduce(visit);
}

TEST(RankComparison, IsOfAllRounds) {
  // Rank 0 is 10 % slower in the first round of three samples, rank 1 in the second of nine.
  const RankComparison comparison =
      compare_ranks({round_of(2, 3, 0, 0.1, 1, 0), round_of(2, 9, 0, 0.1, 2, 1)});
  EXPECT_EQ(comparison.compared, 12U);
  ASSERT_EQ(comparison.ranks.size(), 2U);
  EXPECT_DOUBLE_EQ(comparison.ranks[0].share_slowest, 0.25);
  EXPECT_DOUBLE_EQ(comparison.ranks[1].share_slowest, 0.75);
  EXPECT_DOUBLE_EQ(comparison.ranks[0].median_s, 1.05);
  EXPECT_NEAR(comparison.mean_over_ranks_s, 1.05, 1e-12);
  EXPECT_EQ(comparison.start_skew_s.size(), 12U);
  EXPECT_THAT(compare_ranks({}).ranks, testing::IsEmpty());
}

TEST(Stragglers, AreSeldomFoundAmongRanksThatAreAlike) {
  for (const std::size_t ranks : {2U, 8U, 16U, 64U}) {
    for (const std::size_t samples : {6U, 10U, 20U, 60U}) {
      int alarms = 0;
      for (unsigned seed = 0; seed < 200; ++seed)
        alarms += stragglers_of(compare_ranks({round_of(ranks, samples, 0.03, 0, seed)})).empty() ? 0 : 1;
      EXPECT_LE(alarms, 2) << ranks << " ranks, " << samples << " samples";
    }
  }
}

TEST(Stragglers, AreFoundWhereOneRankIsSlower) {
  for (const std::size_t ranks : {2U, 8U, 64U}) {
    int found = 0;
    for (unsigned seed = 0; seed < 50; ++seed) {
      const auto stragglers = stragglers_of(compare_ranks({round_of(ranks, 40, 0.005, 0.05, seed, 1)}));
      found += stragglers.size() == 1 && stragglers.front().rank == 1 ? 1 : 0;
    }
    EXPECT_EQ(found, 50) << ranks << " ranks";
  }
}

TEST(Stragglers, AreNamedFromTheWorstOn) {
  VisitTimes round = round_of(32, 60, 0.001, 0.05, 3, 4);
  // Rank 9 is the slowest in a third of them.
  round.ranks[9].median_s = 1.04;
  round.ranks[9].share_slowest = 1.0 / 3;
  round.ranks[4].share_slowest = 2.0 / 3;
  std::vector<int> named;
  for (const RankTimes& rank : stragglers_of(compare_ranks({round}))) named.push_back(rank.rank);
  EXPECT_THAT(named, testing::ElementsAre(4, 9));
}

}  // namespace
}  // namespace assay::judge
