// SPDX-License-Identifier: Apache-2.0
#include "judge/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace assay::judge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// 0 × ∞ is 0 here: an unbounded interval's end is a bound, not a value.
double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

bool is_exact(const Estimate& a) { return a.interval.low == a.interval.high; }

bool is_whole(double value) { return value == std::trunc(value); }

Truth compare_equal_numbers(ComparisonOperator comparison) {
  const bool holds = comparison == ComparisonOperator::less_equal ||
                     comparison == ComparisonOperator::greater_equal ||
                     comparison == ComparisonOperator::equal;
  return holds ? Truth::yes : Truth::no;
}

ValueRange hull(std::array<double, 4> ends) {
  return {*std::min_element(ends.begin(), ends.end()), *std::max_element(ends.begin(), ends.end())};
}

}  // namespace

Estimate exact(double value, const Dimension& dimension) { return {value, {value, value}, dimension}; }

Estimate negate(const Estimate& a) {
  return {-a.value, {-a.interval.high, -a.interval.low}, a.dimension, a.rounding};
}

Estimate add(const Estimate& a, const Estimate& b) {
  return {a.value + b.value,
          {a.interval.low + b.interval.low, a.interval.high + b.interval.high},
          a.dimension,
          a.rounding + b.rounding + kRounding * std::max(std::fabs(a.value), std::fabs(b.value))};
}

Estimate subtract(const Estimate& a, const Estimate& b) { return add(a, negate(b)); }

Estimate multiply(const Estimate& a, const Estimate& b) {
  return {a.value * b.value,
          hull({product(a.interval.low, b.interval.low), product(a.interval.low, b.interval.high),
                product(a.interval.high, b.interval.low), product(a.interval.high, b.interval.high)}),
          a.dimension * b.dimension,
          std::fabs(a.value) * b.rounding + std::fabs(b.value) * a.rounding +
              kRounding * std::fabs(a.value * b.value)};
}

Estimate divide(const Estimate& a, const Estimate& b) {
  // What is zero but for rounding is zero: `x / (y - y)`.
  if (std::fabs(b.value) <= b.rounding)
    return {kNoNumber, {-kInfinity, kInfinity}, a.dimension / b.dimension};
  const double value = a.value / b.value;
  Estimate result{
      value,
      {-kInfinity, kInfinity},
      a.dimension / b.dimension,
      (a.rounding + std::fabs(value) * b.rounding) / std::fabs(b.value) + kRounding * std::fabs(value)};
  if (b.interval.low > 0 || b.interval.high < 0) {
    const ValueRange inverse{1 / b.interval.high, 1 / b.interval.low};
    result.interval = hull({product(a.interval.low, inverse.low), product(a.interval.low, inverse.high),
                            product(a.interval.high, inverse.low), product(a.interval.high, inverse.high)});
  }
  return result;
}

bool agree(double a, double b, double rounding) {
  if (a == b) return true;
  const double apart = std::fabs(a - b);
  return std::isfinite(apart) &&
         apart <= std::max(rounding, kRounding * std::max(std::fabs(a), std::fabs(b)));
}

bool agree(const Estimate& a, const Estimate& b) {
  const double rounding = std::max(a.rounding, b.rounding);
  if (!std::isfinite(rounding)) return false;
  if (!is_whole(a.value) || !is_whole(b.value)) return agree(a.value, b.value, rounding);
  // A thousandth of 1e-12 is a few steps of a double: below 2^50 whole numbers lie further apart.
  return a.value == b.value || std::fabs(a.value - b.value) <= rounding / 1024;
}

Truth compare(const Estimate& a, ComparisonOperator comparison, const Estimate& b) {
  const ValueRange& x = a.interval;
  const ValueRange& y = b.interval;
  if (is_exact(a) && is_exact(b) && agree(a, b)) return compare_equal_numbers(comparison);
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
