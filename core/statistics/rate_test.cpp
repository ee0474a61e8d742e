// SPDX-License-Identifier: Apache-2.0
#include "statistics/rate.hpp"

#include "statistics/testing/simulation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::statistics {
namespace {

TEST(Rate, IsTotalWorkOverTotalTimeAndNotTheMeanOfRates) {
  const std::vector<double> seconds = {1, 3};
  EXPECT_DOUBLE_EQ(rate(12, seconds).value, 6);
}

TEST(Rate, TakesItsIntervalFromTheMeanTimeWithTheEndsSwapped) {
  const std::vector<double> seconds = simulate(SimulatedProcess::iid, 200, 1, 0);
  const BlockMean time = block_mean(seconds);
  const Rate result = rate(10, seconds);
  EXPECT_DOUBLE_EQ(result.interval->low, 10 / time.interval->high);
  EXPECT_DOUBLE_EQ(result.interval->high, 10 / time.interval->low);
  EXPECT_EQ(result.blocks, time.blocks);
}

TEST(Rate, HasNoIntervalWhereItHasNoEnd) {
  EXPECT_FALSE(rate(1, std::vector<double>{1, 1, 1}).interval);
  EXPECT_FALSE(rate(1, std::vector<double>{1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 50}).interval);
}

}  // namespace
}  // namespace assay::statistics
