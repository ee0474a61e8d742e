// SPDX-License-Identifier: Apache-2.0
//
// Numbers that know how well they are known, and arithmetic with them.
#pragma once

#include "base/quantity.hpp"
#include "model/document_case.hpp"

namespace assay::judge {

using ValueRange = model::Bounds;

// A value, the interval that a verdict may rely on (low <= value <= high; an end may be infinite), and its
// dimension.
struct Estimate {
  double value = 0;
  ValueRange interval;
  Dimension dimension;
  double rounding = 0;  // how far arithmetic may have moved it; 0 of a number as it was written
};

// A number that is known exactly: a limit, a counter, a peak.
[[nodiscard]] Estimate exact(double value, const Dimension& dimension);

// Interval arithmetic: the result's interval holds every combination of the operands' values. Operands are
// taken as independent, which is the careful side. A divisor whose interval holds zero gives an unbounded
// interval, and no number where it is zero, or nothing but rounding.
[[nodiscard]] Estimate negate(const Estimate& a);
[[nodiscard]] Estimate add(const Estimate& a, const Estimate& b);
[[nodiscard]] Estimate subtract(const Estimate& a, const Estimate& b);
[[nodiscard]] Estimate multiply(const Estimate& a, const Estimate& b);
[[nodiscard]] Estimate divide(const Estimate& a, const Estimate& b);

// In the order of model::kComparisons.
enum class ComparisonOperator { less, less_equal, greater, greater_equal, equal, not_equal };
// By how much the comparison is violated if the left side is larger than the right one by `above`; negative where it holds.
[[nodiscard]] double violation_margin(double above, ComparisonOperator comparison);
// The same comparison with its sides exchanged: a < b as b > a.
[[nodiscard]] ComparisonOperator mirrored(ComparisonOperator comparison);
enum class Truth { yes, no, undecided };

// Are two numbers equal, apart from the rounding of arithmetic? They are if they lie within 1e-12 of the larger one, or
// of the larger operand of a sum or a difference: `rounding` (docs/decisions/0056).
inline constexpr double kRounding = 1e-12;
[[nodiscard]] bool agree(double a, double b, double rounding = 0);
// Of whole numbers those that are not the same differ, as far as a double can tell one from the next.
[[nodiscard]] bool agree(const Estimate& a, const Estimate& b);

// Does the relation hold for all values of both intervals, for none, or for some? Numbers that are exact and
// agree are equal to every relation.
[[nodiscard]] Truth compare(const Estimate& a, ComparisonOperator comparison, const Estimate& b);

}  // namespace assay::judge
