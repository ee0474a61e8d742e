// SPDX-License-Identifier: Apache-2.0
#include "statistics/trend.hpp"

#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

using RowValues = std::vector<std::vector<double>>;

TEST(Trend, IsMannAndKendallsOverAllRows) {
  const Trend found = trend(RowValues{{1, 2, 3}, {10, 20, 30}, {3, 1, 2}});
  EXPECT_EQ(found.rows, 3u);
  EXPECT_EQ(found.change, 2);
  // Signs 3 + 3 - 1, each row's variance 11 / 3.
  EXPECT_NEAR(found.p, std::erfc(4 / std::sqrt(2 * 11.0)), 1e-12);
}

TEST(Trend, FallsAsItRises) {
  const Trend up = trend(RowValues{{1, 2, 3}, {1, 2, 4}}), down = trend(RowValues{{3, 2, 1}, {4, 2, 1}});
  EXPECT_DOUBLE_EQ(up.p, down.p);
  EXPECT_DOUBLE_EQ(up.change, -down.change);
}

TEST(Trend, TakesNoOrderFromEqualValues) {
  EXPECT_EQ(trend(RowValues{{1, 1, 1}, {2, 2, 2}}).p, 1);
  // One pair in order, two tied: variance 11 / 3 less that of a pair, 1.
  EXPECT_NEAR(trend(RowValues(9, {1, 1, 2})).p, std::erfc(17 / std::sqrt(2 * 9 * (11.0 / 3 - 1))), 1e-12);
}

TEST(Trend, SaysNothingOfSingleRounds) {
  EXPECT_EQ(trend(RowValues{{1}, {2}, {}}).rows, 0u);
  EXPECT_EQ(trend(RowValues{{1}, {2}, {}}).p, 1);
  EXPECT_EQ(trend(RowValues{}).p, 1);
}

// The share of runs in which p is below 1 %. Rounds differ by 1 %, and by `step` from one to the next.
double alarms(std::size_t rows, std::size_t rounds, double step, double together = 0) {
  constexpr std::size_t kRuns = 4000;
  std::size_t seen = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Random random(20261126 + rows * 100 + rounds, run);
    std::vector<double> common(rounds);
    for (std::size_t round = 0; round < rounds; ++round)
      common[round] = step * static_cast<double>(round) + together * random.normal();
    RowValues all(rows);
    for (std::vector<double>& row : all)
      for (const double shift : common) row.push_back(shift + 0.01 * random.normal());
    seen += trend(all).p < 0.01 ? 1 : 0;
  }
  return static_cast<double>(seen) / static_cast<double>(kRuns);
}

TEST(Trend, AlarmsInNoMoreThanOneRunOfAHundredByChance) {
  for (const std::size_t rounds : {3, 5, 6, 10})
    for (const std::size_t rows : {1, 4, 12, 50})
      EXPECT_LE(alarms(rows, rounds, 0), 0.014) << rows << " rows, " << rounds << " rounds";
  EXPECT_GE(alarms(50, 3, 0), 0.006) << "and in no fewer, where there are rows enough";
}

TEST(Trend, SeesARiseThatIsHiddenInEachRow) {
  EXPECT_GE(alarms(24, 3, 0.01), 0.95);
  EXPECT_GE(alarms(50, 3, 0.005), 0.9);
  EXPECT_GE(alarms(12, 5, 0.005), 0.95);
}

// Its limit: what happened to all rows of a round is in order now and then.
TEST(Trend, TakesRoundsThatMoveAllRowsForATrend) { EXPECT_GE(alarms(50, 3, 0, 0.01), 0.5); }

}  // namespace
}  // namespace assay::statistics
