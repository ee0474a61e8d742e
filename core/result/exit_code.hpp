// SPDX-License-Identifier: Apache-2.0
//
// From outcomes to one number. The tables here are the only place where outcomes, exit codes and JUnit
// elements meet; docs/reference/outcomes.md and --help are made from them.
#pragma once

#include "model/document.hpp"
#include "result/outcome.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay::result {

// What JUnit calls an outcome.
enum class JunitElement { none, failure, error, skipped };
[[nodiscard]] std::string_view to_text(JunitElement element);

// One outcome, what it means and what it does. `exit_code` is what a single such case makes of a run in which
// other cases passed.
struct OutcomeRow {
  Outcome outcome;
  std::string_view meaning;
  JunitElement junit;
  int exit_code;
  int strict_exit_code;  // under --strict
  [[nodiscard]] std::string_view text() const { return to_text(outcome); }
};
[[nodiscard]] const std::vector<OutcomeRow>& outcome_table();

// The signal that ended a run which could not say that it ended.
inline constexpr int kKilledBy = 9;

// Everything that decides a run's exit code once something was to run.
struct ExitInputs {
  std::vector<Outcome> outcomes;  // of cases and group checks
  int interrupted_by = 0;         // signal number
  bool strict = false;
  bool undecided = false;  // any undecided expectation
  bool limit_left_out =
      false;  // of a case that passed: its devices have no such thing, or it has too few peers
  bool asserted_finding_not_confirmed = false;
  bool requires_unmet = false;  // so that no case was started
  bool nothing_judged = false;  // all was measured under --wrap
};
// 128 + signal, 6 if a requirement is unmet, or the first of 5, 1, 6, 0 that applies; whether a reporter failed is
// known later. Fail closed: no outcomes at all is 6, and a case that did not run beside others that did is 5.
[[nodiscard]] int exit_code(const ExitInputs& inputs);

// Whether there is something that can speak against an asserted finding.
[[nodiscard]] bool anything_ran(const ExitInputs& inputs);

// The verdict's word for the same inputs: passed, failed, error, interrupted, unmet, nothing_ran.
[[nodiscard]] model::RunOutcome run_outcome(const ExitInputs& inputs);

// How many ended how.
[[nodiscard]] model::Counts counts_of(const std::vector<Outcome>& outcomes);

// "SIGINT", "SIGTERM", "signal 42".
[[nodiscard]] std::string signal_name(int signal);

// The table that docs and --help print.
struct ExitCodeRow {
  int code;
  std::string_view meaning;
};
[[nodiscard]] const std::vector<ExitCodeRow>& exit_code_table();

// docs/reference/outcomes.md, whole.
[[nodiscard]] std::string outcomes_markdown();

}  // namespace assay::result
