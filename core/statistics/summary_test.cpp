// SPDX-License-Identifier: Apache-2.0
#include "statistics/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace assay::statistics {
namespace {

TEST(Summary, DescribesAKnownSeries) {
  const std::vector<double> values = {4, 1, 3, 2, 10};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.n, 5u);
  EXPECT_DOUBLE_EQ(summary.first, 4);
  EXPECT_DOUBLE_EQ(summary.minimum, 1);
  EXPECT_DOUBLE_EQ(summary.p5, 1.2);
  EXPECT_DOUBLE_EQ(summary.p25, 2);
  EXPECT_DOUBLE_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.p75, 4);
  EXPECT_DOUBLE_EQ(summary.p95, 8.8);
  EXPECT_DOUBLE_EQ(summary.maximum, 10);
  EXPECT_DOUBLE_EQ(summary.mean, 4);
  EXPECT_DOUBLE_EQ(summary.stdev, std::sqrt(12.5));
  EXPECT_DOUBLE_EQ(summary.mad, 1);
}

TEST(Summary, OfOneValueHasNoSpread) {
  const std::vector<double> values = {7};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.p5, 7);
  EXPECT_EQ(summary.p95, 7);
  EXPECT_EQ(summary.stdev, 0);
  EXPECT_EQ(summary.mad, 0);
}

TEST(Summary, GivesP99FromFiveHundredValuesOn) {
  std::vector<double> values(499);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_FALSE(summarize(values).p99);
  values.push_back(499);
  ASSERT_TRUE(summarize(values).p99);
  EXPECT_DOUBLE_EQ(*summarize(values).p99, 494.01);
}

TEST(Median, OfAnEvenNumberIsHalfwayBetweenTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(median(std::vector<double>{5, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{5, 1, 3}), 3);
}

TEST(Quantile, ReachesBothEnds) {
  const std::vector<double> ascending = {1, 2, 4};
  EXPECT_DOUBLE_EQ(quantile_of_sorted(ascending, 0), 1);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(ascending, 1), 4);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(ascending, 0.75), 3);
}

TEST(Sum, LosesNothingToALargeNeighbour) {
  EXPECT_EQ(sum(std::vector<double>{1e16, 1, 1, -1e16}), 2);
  EXPECT_EQ(sum(std::vector<double>{}), 0);
}

TEST(Mean, IsANumberWhereTheSumIsTooLargeForOne) {
  EXPECT_DOUBLE_EQ(mean(std::vector<double>{-1e308, -1.7e308, -1.5e308}), -1.4e308);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{-1.7e308, 1.7e308}), 0);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{1.6e308, 1.7e308}), 1.65e308);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(std::vector<double>{-1.6e308, 1.6e308}, 0.75), 0.8e308);
  EXPECT_NEAR(stdev(std::vector<double>{1e308, 1.2e308, 1.4e308}) / 0.2e308, 1, 1e-12);
  EXPECT_TRUE(std::isinf(mean(std::vector<double>{INFINITY, 1})));
}

TEST(GroupedMedian, OfValuesThatAreAllAlikeIsThatValue) {
  for (std::size_t count = 1; count < 200; ++count) {
    for (const double value : {0.0, 2.75e-5}) {
      for (const double step : {1e-9, 2.5e-8 / 3}) {
        EXPECT_EQ(grouped_median(std::vector<double>(count, value), step), value) << count << " " << step;
      }
    }
  }
}

}  // namespace
}  // namespace assay::statistics
