// SPDX-License-Identifier: Apache-2.0
#include "judge/estimate.hpp"

#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::judge {
namespace {

Estimate of(double low, double value, double high) { return {value, {low, high}, {}}; }

// A number inside the interval, its ends more often than chance would have it.
double inside(const ValueRange& interval, statistics::Random& random) {
  if (random.chance(0.2)) return interval.low;
  if (random.chance(0.2)) return interval.high;
  return interval.low + (interval.high - interval.low) * random.uniform();
}

Estimate any(statistics::Random& random) {
  const double value = 10 * random.normal();
  return of(value - 5 * random.uniform(), value, value + 5 * random.uniform());
}

TEST(Estimate, ArithmeticHoldsEveryCombinationOfItsOperands) {
  statistics::Random random(11);
  for (int trial = 0; trial < 5000; ++trial) {
    const Estimate a = any(random), b = any(random);
    const double x = inside(a.interval, random), y = inside(b.interval, random);
    const auto holds = [](const Estimate& estimate, double value) {
      const double slack = 1e-9 * (1 + std::fabs(value));
      return estimate.interval.low - slack <= value && value <= estimate.interval.high + slack;
    };
    EXPECT_TRUE(holds(add(a, b), x + y));
    EXPECT_TRUE(holds(subtract(a, b), x - y));
    EXPECT_TRUE(holds(multiply(a, b), x * y));
    EXPECT_TRUE(holds(negate(a), -x));
    if (y != 0) {
      EXPECT_TRUE(holds(divide(a, b), x / y));
    }
  }
}

TEST(Estimate, ARelationIsTrueOnlyIfItHoldsForAllValues) {
  statistics::Random random(12);
  for (int trial = 0; trial < 5000; ++trial) {
    const Estimate a = any(random), b = any(random);
    const double x = inside(a.interval, random), y = inside(b.interval, random);
    const std::pair<ComparisonOperator, bool> cases[] = {
        {ComparisonOperator::less, x < y},    {ComparisonOperator::less_equal, x <= y},
        {ComparisonOperator::greater, x > y}, {ComparisonOperator::greater_equal, x >= y},
        {ComparisonOperator::equal, x == y},  {ComparisonOperator::not_equal, x != y}};
    for (const auto& [comparison, holds] : cases) {
      const Truth truth = compare(a, comparison, b);
      EXPECT_TRUE(truth != Truth::yes || holds);
      EXPECT_TRUE(truth != Truth::no || !holds);
    }
  }
}

TEST(Estimate, TouchingLimitsCount) {
  const Estimate limit = exact(5, {});
  EXPECT_EQ(compare(of(5, 6, 7), ComparisonOperator::greater_equal, limit), Truth::yes);
  EXPECT_EQ(compare(of(5, 6, 7), ComparisonOperator::greater, limit), Truth::undecided);
  EXPECT_EQ(compare(of(3, 4, 5), ComparisonOperator::greater, limit), Truth::no);
  EXPECT_EQ(compare(limit, ComparisonOperator::equal, limit), Truth::yes);
  EXPECT_EQ(compare(of(4, 5, 6), ComparisonOperator::equal, limit), Truth::undecided);
}

}  // namespace
}  // namespace assay::judge
