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
};

// A number that is known exactly: a limit, a counter, a peak.
[[nodiscard]] Estimate exact(double value, const Dimension& dimension);

// Interval arithmetic: the result's interval holds every combination of the operands' values. Operands are
// taken as independent, which is the careful side. A divisor whose interval holds zero gives an unbounded
// interval.
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

// Does the relation hold for all values of both intervals, for none, or for some?
[[nodiscard]] Truth compare(const Estimate& a, ComparisonOperator comparison, const Estimate& b);

}  // namespace assay::judge
