// SPDX-License-Identifier: Apache-2.0
//
// In which unit the value of an expression is shown.
#pragma once

#include "judge/case_result.hpp"
#include "judge/expectations.hpp"

namespace assay::judge {

// The unit of the first metric that the expression names and that is of this dimension, "tokens/s" for
// `throughput / 2`; else the dimension's base unit.
[[nodiscard]] UnitText unit_of(const suite::Expression& expression, const Dimension& dimension,
                               const CaseResult& result);

// The same of what a relation measured, or of its limit where nothing was; in the unit in which the suite wrote the
// limit.
[[nodiscard]] UnitText unit_of(const suite::Expression& relation, const Relation& judged,
                               const CaseResult* result);

}  // namespace assay::judge
