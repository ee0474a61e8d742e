// SPDX-License-Identifier: Apache-2.0
#include "result/exit_code.hpp"

#include <algorithm>
#include <cstddef>

namespace assay::result {
namespace {

struct Tally {
  bool any_ran = false;  // the case itself was entered and ended in some way
  bool any_error = false;
  bool any_failed = false;
  bool any_left_out = false;  // should have run and did not, or was stopped
  bool any_skipped = false;
};

Tally tally(const std::vector<Outcome>& outcomes) {
  Tally sum;
  for (const Outcome outcome : outcomes) {
    switch (outcome) {
      case Outcome::passed:
        sum.any_ran = true;
        break;
      case Outcome::failed:
      case Outcome::invalid:
        sum.any_ran = sum.any_failed = true;
        break;
      case Outcome::error:
      case Outcome::crashed:
      case Outcome::timeout:
        sum.any_ran = sum.any_error = true;
        break;
      case Outcome::cancelled:
        sum.any_ran = sum.any_left_out = true;
        break;
      case Outcome::not_run:
        sum.any_left_out = true;
        break;
      case Outcome::skipped:
        sum.any_skipped = true;
        break;
    }
  }
  return sum;
}

// Which rule applies first; exit_code and run_outcome must never disagree.
enum class Rule { interrupted, error, failed, unmet, nothing_ran, skipped_under_strict, passed };

Rule first_rule(const ExitInputs& inputs) {
  const Tally sum = tally(inputs.outcomes);
  if (inputs.interrupted_by != 0) return Rule::interrupted;
  // A case that is left out while others ran is a hole in the result; if nothing ran at all it is rule 6.
  if (sum.any_error || (sum.any_ran && sum.any_left_out)) return Rule::error;
  if (sum.any_failed || inputs.regression || inputs.asserted_finding_not_confirmed) return Rule::failed;
  if (inputs.strict && inputs.undecided) return Rule::failed;
  if (inputs.requires_unmet) return Rule::unmet;
  if (!sum.any_ran) return Rule::nothing_ran;
  if (inputs.nothing_judged) return Rule::unmet;
  if (inputs.strict && sum.any_skipped) return Rule::skipped_under_strict;
  return Rule::passed;
}

}  // namespace

const std::vector<OutcomeRow>& outcome_table() {
  static const std::vector<OutcomeRow> table = {
      {Outcome::passed, "passed", "It ran, its result was verified, and every check and expectation passed.",
       JunitElement::none, 0, 0},
      {Outcome::failed, "failed",
       "It ran; its result was wrong, or a check or expectation did not pass (or could not be judged).",
       JunitElement::failure, 1, 1},
      {Outcome::error, "error",
       "It could not be measured: the plugin or the tool reported an error, or a value was missing or not "
       "finite.",
       JunitElement::error, 5, 5},
      {Outcome::crashed, "crashed", "The process that ran it died.", JunitElement::error, 5, 5},
      {Outcome::timeout, "timeout", "It did not end within its `timeout` and was stopped.",
       JunitElement::error, 5, 5},
      {Outcome::invalid, "invalid",
       "It gave numbers that cannot be true (faster than the hardware, device time above host time).",
       JunitElement::failure, 1, 1},
      {Outcome::skipped, "skipped", "This machine or plugin cannot run it; the reason says what is missing.",
       JunitElement::skipped, 0, 6},
      {Outcome::not_run, "not_run",
       "It was planned and never started: the run ended early, or its device was withdrawn.",
       JunitElement::error, 5, 5},
      {Outcome::cancelled, "cancelled",
       "It was stopped on the way, by a signal or by another rank's failure.", JunitElement::error, 5, 5},
  };
  return table;
}

const OutcomeRow& outcome_row(Outcome outcome) {
  const std::vector<OutcomeRow>& table = outcome_table();
  return *std::find_if(table.begin(), table.end(),
                       [&](const OutcomeRow& row) { return row.outcome == outcome; });
}

JunitElement junit_element(Outcome outcome) { return outcome_row(outcome).junit; }

std::string_view to_text(JunitElement element) {
  switch (element) {
    case JunitElement::none:
      return "none";
    case JunitElement::failure:
      return "failure";
    case JunitElement::error:
      return "error";
    case JunitElement::skipped:
      return "skipped";
  }
  return "error";
}

int exit_code(const ExitInputs& inputs) {
  switch (first_rule(inputs)) {
    case Rule::interrupted:
      return 128 + inputs.interrupted_by;
    case Rule::error:
      return 5;
    case Rule::failed:
      return 1;
    case Rule::unmet:
    case Rule::nothing_ran:
    case Rule::skipped_under_strict:
      return 6;
    case Rule::passed:
      break;
  }
  return inputs.reporter_failed ? 7 : 0;
}

std::string_view run_outcome(const ExitInputs& inputs) {
  switch (first_rule(inputs)) {
    case Rule::interrupted:
      return "interrupted";
    case Rule::error:
      return "error";
    case Rule::failed:
      return "failed";
    case Rule::unmet:
    case Rule::skipped_under_strict:
      return "unmet";
    case Rule::nothing_ran:
      return "nothing_ran";
    case Rule::passed:
      break;
  }
  return "passed";
}

const std::vector<ExitCodeRow>& exit_code_table() {
  static const std::vector<ExitCodeRow> table = {
      {0, "every case ran or was skipped, and everything that was judged passed"},
      {1,
       "a case or group check failed or is invalid, a regression, an asserted finding that is not confirmed, "
       "or (--strict) something undecided"},
      {2, "the command line is wrong"},
      {3, "the suite or a configuration file is invalid"},
      {4, "a plugin that was named is no plugin"},
      {5,
       "a case ended in an error, crashed, timed out, or was left out while others ran; or another run holds a device or "
       "wants its processors for itself"},
      {6,
       "this machine does not have what `requires`, `policy` or a site file asks for, nothing ran, nothing was judged (--wrap), or (--strict) a case was "
       "skipped"},
      {7, "a report could not be made"},
      {129, "interrupted by SIGHUP: its terminal was closed"},
      {130, "interrupted by Ctrl-C (SIGINT)"},
      {143, "interrupted by SIGTERM"},
  };
  return table;
}

std::string outcomes_markdown() {
  std::string page =
      "<!-- Made from core/result/exit_code.cpp; a test compares. -->\n"
      "# Outcomes and exit codes\n\n"
      "## Outcomes\n\n"
      "Every case and every group check ends in one of these. The exit code is what one such case makes of a "
      "run in which all others passed.\n\n"
      "| outcome | meaning | exit code | with `--strict` | JUnit |\n"
      "|---|---|---:|---:|---|\n";
  for (const OutcomeRow& row : outcome_table()) {
    const std::string junit =
        row.junit == JunitElement::none ? "passes" : "`" + std::string(to_text(row.junit)) + "`";
    page += "| `" + std::string(row.text) + "` | " + std::string(row.meaning) + " | " +
            std::to_string(row.exit_code) + " | " + std::to_string(row.strict_exit_code) + " | " + junit +
            " |\n";
  }
  page +=
      "\n## Exit codes\n\n"
      "2, 3 and 4 are decided before anything runs. Afterwards the first that applies of 129/130/143, 5, 1, "
      "6, 7, 0.\n\n"
      "| code | meaning |\n"
      "|---:|---|\n";
  for (const ExitCodeRow& row : exit_code_table())
    page += "| " + std::to_string(row.code) + " | " + std::string(row.meaning) + " |\n";
  page +=
      "\nA case that was not run beside others that ran is 5: the result has a hole. If no case ran at all, "
      "it is "
      "6.\nFindings do not change the exit code unless they say `assert: confirmed`.\n";
  return page;
}

}  // namespace assay::result
