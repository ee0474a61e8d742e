// SPDX-License-Identifier: Apache-2.0
//
// Metrics that are given as numbers: what a benchmark records beside its samples, and what a command prints.
#pragma once

#include "judge/case_result.hpp"

namespace assay::judge {

// Both add a metric for each of its indices, or make the case an error where a value is missing in a round, a
// sample or a rank that has one elsewhere.
void add_recorded(CaseResult& result, const catalog::MetricDeclaration& metric);
void add_reported(CaseResult& result, const catalog::MetricDeclaration& metric);

}  // namespace assay::judge
