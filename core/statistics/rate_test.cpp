// SPDX-License-Identifier: Apache-2.0
#include "statistics/rate.hpp"

#include "statistics/summary.hpp"
#include "statistics/testing/random.hpp"
#include "statistics/testing/simulation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::statistics {
namespace {

TEST(Rate, IsTotalWorkOverTotalTimeAndNotTheMeanOfRates) {
  const std::vector<double> seconds = {1, 3};
  EXPECT_DOUBLE_EQ(rate(12, seconds).value, 6);
  const std::vector<double> work = {12, 4};
  EXPECT_DOUBLE_EQ(rate(work, seconds).value, 4);
}

TEST(Rate, TakesItsIntervalFromTheMeanTimeWithTheEndsSwapped) {
  const std::vector<double> seconds = simulate(Process::iid, 200, 1, 0);
  const BlockMean time = block_mean(seconds);
  const Rate result = rate(10, seconds);
  EXPECT_DOUBLE_EQ(result.interval->low, 10 / time.interval->high);
  EXPECT_DOUBLE_EQ(result.interval->high, 10 / time.interval->low);
  EXPECT_EQ(result.blocks, time.blocks);
}

TEST(Rate, OfVaryingWorkHasThatOfConstantWorkAsItsSpecialCase) {
  const std::vector<double> seconds = simulate(Process::iid, 200, 1, 0);
  const std::vector<double> work(200, 10.0);
  const Rate constant = rate(10, seconds);
  const Rate varying = rate(work, seconds);
  EXPECT_NEAR(varying.value, constant.value, 1e-12);
  EXPECT_NEAR(varying.interval->low, constant.interval->low, 0.001 * constant.value);
  EXPECT_NEAR(varying.interval->high, constant.interval->high, 0.001 * constant.value);
}

TEST(Rate, IsNotMadeUncertainByWorkThatVaries) {
  Random random(1);
  std::vector<double> work(400);
  std::vector<double> seconds(400);
  for (std::size_t i = 0; i < work.size(); ++i) {
    work[i] = 1 + 9 * random.uniform();
    seconds[i] = work[i] / 5 * (1 + 0.01 * random.normal());
  }
  const Rate result = rate(work, seconds);
  EXPECT_TRUE(result.interval->contains(5));
  EXPECT_LT(result.interval->half_width(), 0.01 * 5);
}

TEST(Rate, HasNoIntervalWhereItHasNoEnd) {
  EXPECT_FALSE(rate(1, std::vector<double>{1, 1, 1}).interval);
  EXPECT_FALSE(rate(1, std::vector<double>{1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 50}).interval);
}

}  // namespace
}  // namespace assay::statistics
