// SPDX-License-Identifier: Apache-2.0
//
// Whether the names in expectations, derived metrics and findings mean something for the benchmarks they are
// about, and whether the dimensions fit. Internal to this component.
#pragma once

#include "base/diagnostics.hpp"
#include "catalog/manifest.hpp"
#include "suite/suite.hpp"

#include <map>
#include <string>
#include <vector>

namespace assay::plan {

// A suite's case with the benchmark that was found for it.
struct ResolvedCase {
  const suite::SuiteCase* suite_case = nullptr;
  const catalog::Benchmark* benchmark = nullptr;
  const catalog::Manifest* backend = nullptr;  // declares the telemetry; null: no plugin here does
  std::vector<std::string> axes;  // names that `over` may use, `device` among them if rows tell devices apart
};

// Reports every name that is not a metric, telemetry quantity, fact or derived metric, every comparison of
// unlike dimensions, every axis of `over` that the case does not have, and every share of a peak or reference
// that is not there. `subjects` holds the cases whose benchmark is known; nothing is said about others. Where
// `some_are_absent` because their backend is, a derived metric may be theirs. Findings that have too few rounds are told where
// the suite says how many there will be.
void check_expressions(const suite::Suite& suite, const std::vector<ResolvedCase>& subjects,
                       bool some_are_absent, bool rounds_are_the_suites, Diagnostics& diagnostics);

}  // namespace assay::plan
