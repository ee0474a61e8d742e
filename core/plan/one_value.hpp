// SPDX-License-Identifier: Apache-2.0
//
// Functions of several values that a suite writes of a single one: max(time). Internal to this component.
#pragma once

#include "plan/expression_check.hpp"

#include <vector>

namespace assay::plan {

// Reports the first such function that is of one value in each of the cases that have what it names. `subjects` are the cases
// that the expression is for.
void check_one_value(const suite::Suite& suite, const suite::Expression& expression,
                     const std::vector<const ResolvedCase*>& subjects, Diagnostics& diagnostics);

}  // namespace assay::plan
