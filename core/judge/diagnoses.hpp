// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"
#include "model/diagnosis.hpp"

#include <vector>

namespace assay::judge {

// Diagnoses by the rules of a journal (suite/rule.hpp) of the cases that were measured and judged, in the rules'
// order. A rule applies to a case only if all its evidence holds: undecided or unknown evidence does not.
// `environment` is the run's; a value that the case sets takes precedence. A variable that is an axis of the case
// is never evidence, because the suite asks about it.
[[nodiscard]] std::vector<model::Diagnosis> diagnose(const Json& rules, const std::vector<CaseResult>& cases,
                                                     const Json& environment);

}  // namespace assay::judge
