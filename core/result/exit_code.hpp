// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "result/outcome.hpp"

namespace assay::result {

// What JUnit calls an outcome.
enum class JunitElement { none, failure, error, skipped };
[[nodiscard]] JunitElement junit_element(Outcome outcome);

// Everything that decides a run's exit code once something was to run.
struct ExitInputs {
  std::vector<Outcome> outcomes;   // of cases and group checks
  int interrupted_by = 0;          // signal number
  bool strict = false;
  bool undecided = false;          // any undecided expectation
  bool asserted_finding_not_confirmed = false;
  bool regression = false;
  bool requires_unmet = false;
  bool reporter_failed = false;
};
[[nodiscard]] int exit_code(const ExitInputs& inputs);

// The table that docs and --help print.
struct ExitCodeRow {
  int code;
  std::string_view meaning;
};
[[nodiscard]] const std::vector<ExitCodeRow>& exit_code_table();

}  // namespace assay::result
