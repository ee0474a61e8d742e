// SPDX-License-Identifier: Apache-2.0
#include "judge/estimate.hpp"

#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

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

// What every relation says of two numbers: of <, <=, >, >=, == and !=.
std::string relations(const Estimate& a, const Estimate& b) {
  std::string all;
  for (int i = 0; i < 6; ++i)
    all += compare(a, static_cast<ComparisonOperator>(i), b) == Truth::yes ? 'y' : 'n';
  return all;
}
constexpr const char* kEqual = "nynyyn";

TEST(Estimate, WhatArithmeticRoundsIsEqual) {
  const auto of = [](double value) { return exact(value, {}); };
  for (const double base : {1.0, 3.0, 0.3, 7e-9, 1e11, 4.1e15})
    for (int percent = 1; percent <= 400; ++percent) {
      const Estimate share = multiply(of(percent / 100.0), of(base));
      EXPECT_EQ(relations(of(percent * base / 100), share), kEqual) << percent << " % of " << base;
      EXPECT_EQ(relations(divide(share, of(base)), of(percent / 100.0)), kEqual) << percent;
    }
  EXPECT_EQ(relations(subtract(of(3.3), of(3)), of(0.3)), kEqual);
  EXPECT_EQ(relations(subtract(of(1e6 + 0.1), of(1e6)), of(0.1)), kEqual) << "1e-12 of the larger operand";
  EXPECT_EQ(relations(subtract(subtract(of(3.3), of(3)), of(0.3)), of(0)), kEqual);
  EXPECT_EQ(relations(add(of(0.1), of(0.2)), of(0.3)), kEqual);
  EXPECT_EQ(relations(of(3.9), of(3.9 * (1 + 1e-11))), "yynnny") << "a difference that is one";
}

TEST(Estimate, WholeNumbersThatDifferDiffer) {
  const auto of = [](double value) { return exact(value, {}); };
  EXPECT_EQ(relations(of(2199023255553), of(2199023255552)), "nnyyny") << "a byte more than 2 TiB";
  EXPECT_EQ(relations(of(9007199254740991), of(9007199254740992)), "yynnny");
  EXPECT_EQ(relations(add(of(2199023255552), of(1)), of(2199023255552)), "nnyyny") << "a sum, too";
  EXPECT_EQ(relations(subtract(of(2199023255553), of(2199023255552)), of(0)), "nnyyny");
  EXPECT_EQ(relations(of(1e-13), of(0)), "nnyyny") << "no error is not few errors";
}

TEST(Estimate, WhatIsMeasuredHasNoMarginButItsInterval) {
  const Estimate limit = exact(5, {});
  EXPECT_EQ(compare(of(5 - 1e-13, 5, 5 + 1e-13), ComparisonOperator::equal, limit), Truth::undecided);
  EXPECT_EQ(compare(of(5 + 1e-13, 5.1, 5.2), ComparisonOperator::greater, limit), Truth::yes);
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
