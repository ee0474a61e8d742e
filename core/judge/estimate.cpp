// SPDX-License-Identifier: Apache-2.0
#include "judge/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace assay::judge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 0 × ∞ is 0 here: an unbounded interval's end is a bound, not a value.
double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

ValueRange hull(std::array<double, 4> ends) {
  return {*std::min_element(ends.begin(), ends.end()), *std::max_element(ends.begin(), ends.end())};
}

}  // namespace

Estimate exact(double value, const Dimension& dimension) { return {value, {value, value}, dimension}; }

Estimate negate(const Estimate& a) { return {-a.value, {-a.interval.high, -a.interval.low}, a.dimension}; }

Estimate add(const Estimate& a, const Estimate& b) {
  return {
      a.value + b.value, {a.interval.low + b.interval.low, a.interval.high + b.interval.high}, a.dimension};
}

Estimate subtract(const Estimate& a, const Estimate& b) { return add(a, negate(b)); }

Estimate multiply(const Estimate& a, const Estimate& b) {
  return {a.value * b.value,
          hull({product(a.interval.low, b.interval.low), product(a.interval.low, b.interval.high),
                product(a.interval.high, b.interval.low), product(a.interval.high, b.interval.high)}),
          a.dimension * b.dimension};
}

Estimate divide(const Estimate& a, const Estimate& b) {
  Estimate result{a.value / b.value, {-kInfinity, kInfinity}, a.dimension / b.dimension};
  if (b.interval.low > 0 || b.interval.high < 0) {
    const ValueRange inverse{1 / b.interval.high, 1 / b.interval.low};
    result.interval = hull({product(a.interval.low, inverse.low), product(a.interval.low, inverse.high),
                            product(a.interval.high, inverse.low), product(a.interval.high, inverse.high)});
  }
  return result;
}

Truth compare(const Estimate& a, ComparisonOperator comparison, const Estimate& b) {
  const ValueRange& x = a.interval;
  const ValueRange& y = b.interval;
  switch (comparison) {
    case ComparisonOperator::less:
      return x.high < y.low ? Truth::yes : x.low >= y.high ? Truth::no : Truth::undecided;
    case ComparisonOperator::less_equal:
      return x.high <= y.low ? Truth::yes : x.low > y.high ? Truth::no : Truth::undecided;
    case ComparisonOperator::greater:
      return compare(b, ComparisonOperator::less, a);
    case ComparisonOperator::greater_equal:
      return compare(b, ComparisonOperator::less_equal, a);
    case ComparisonOperator::equal:
      if (x.low == x.high && y.low == y.high && x.low == y.low) return Truth::yes;
      return x.high < y.low || y.high < x.low ? Truth::no : Truth::undecided;
    case ComparisonOperator::not_equal: {
      const Truth same = compare(a, ComparisonOperator::equal, b);
      return same == Truth::yes ? Truth::no : same == Truth::no ? Truth::yes : Truth::undecided;
    }
  }
  return Truth::undecided;
}

ComparisonOperator mirrored(ComparisonOperator comparison) {
  using enum ComparisonOperator;
  constexpr std::array<ComparisonOperator, 6> kMirrored{greater,    greater_equal, less,
                                                        less_equal, equal,         not_equal};
  return kMirrored.at(static_cast<std::size_t>(comparison));
}

double violation_margin(double above, ComparisonOperator comparison) {
  switch (comparison) {
    case ComparisonOperator::less:
    case ComparisonOperator::less_equal:
      return above;
    case ComparisonOperator::greater:
    case ComparisonOperator::greater_equal:
      return -above;
    case ComparisonOperator::equal:
      return std::fabs(above);
    case ComparisonOperator::not_equal:
      return -std::fabs(above);
  }
  return above;
}

}  // namespace assay::judge
