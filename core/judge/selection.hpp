// SPDX-License-Identifier: Apache-2.0
//
// Which rows the terms of a selector name.
#pragma once

#include "judge/case_result.hpp"
#include "suite/expression.hpp"

#include <string>
#include <vector>

namespace assay::judge {

// Where a case lies on an axis; null if it has no such axis.
[[nodiscard]] const plan::AxisPoint* point_of(const std::vector<plan::AxisPoint>& axes,
                                              const std::string& axis);
[[nodiscard]] const plan::AxisPoint* point_of(const CaseResult& result, const std::string& axis);

// A bundle is an axis whose values are maps: it sets several parameters together.
[[nodiscard]] bool sets(const plan::AxisPoint& bundle, const std::string& parameter);
// The point on the axis that sets a parameter so; null if none does.
[[nodiscard]] const plan::AxisPoint* bundle_of(const CaseResult& result, const std::string& parameter);

// A term names an axis, or a parameter that a bundle sets.
[[nodiscard]] bool matches(const std::vector<plan::AxisPoint>& axes, const suite::SelectorTerm& term);
[[nodiscard]] bool matches(const CaseResult& result, const suite::SelectorTerm& term);

}  // namespace assay::judge
