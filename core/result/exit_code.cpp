// SPDX-License-Identifier: Apache-2.0
#include "result/exit_code.hpp"

#include "model/document_fields.hpp"

#include <algorithm>
#include <array>
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
      case Outcome::other:
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
enum class ExitRule { interrupted, error, failed, unmet, nothing_ran, skipped_under_strict, passed };

struct RuleRow {
  int code;
  model::RunOutcome outcome;
};
const RuleRow& row_of(ExitRule rule) {
  using enum model::RunOutcome;
  static constexpr std::array<RuleRow, 7> kRows{
      {{128, interrupted}, {5, error}, {1, failed}, {6, unmet}, {6, nothing_ran}, {6, unmet}, {0, passed}}};
  return kRows.at(static_cast<std::size_t>(rule));
}

ExitRule first_rule(const ExitInputs& inputs) {
  const Tally sum = tally(inputs.outcomes);
  if (inputs.interrupted_by != 0) return ExitRule::interrupted;
  // Nothing was run then, so nothing was refuted.
  if (inputs.requires_unmet) return ExitRule::unmet;
  // A case that is left out while others ran is a hole in the result; if nothing ran at all it is rule 6.
  if (sum.any_error || (sum.any_ran && sum.any_left_out)) return ExitRule::error;
  if (sum.any_failed) return ExitRule::failed;
  if (!sum.any_ran) return ExitRule::nothing_ran;
  if (inputs.asserted_finding_not_confirmed) return ExitRule::failed;
  if (inputs.strict && inputs.undecided) return ExitRule::failed;
  if (inputs.nothing_judged) return ExitRule::unmet;
  if (inputs.strict && (sum.any_skipped || inputs.limit_left_out)) return ExitRule::skipped_under_strict;
  return ExitRule::passed;
}

}  // namespace

const std::vector<OutcomeRow>& outcome_table() {
  static const std::vector<OutcomeRow> table = {
      {Outcome::passed,
       "It ran, and no verification, check or expectation failed. What is undecided is counted beside it, and what was not "
       "verified is flagged.",
       JunitElement::none, 0, 0},
      {Outcome::failed,
       "It ran; its result was wrong, or a check or expectation did not pass (or could not be judged).",
       JunitElement::failure, 1, 1},
      {Outcome::error,
       "It could not be measured: the plugin or the tool reported an error, or a value was missing or not "
       "finite.",
       JunitElement::error, 5, 5},
      {Outcome::crashed, "The process that ran it died.", JunitElement::error, 5, 5},
      {Outcome::timeout, "It did not end within its `timeout` and was stopped.", JunitElement::error, 5, 5},
      {Outcome::invalid,
       "It gave numbers that cannot be true (faster than the hardware, device time above host time).",
       JunitElement::failure, 1, 1},
      {Outcome::skipped, "This machine or plugin cannot run it; the reason says what is missing.",
       JunitElement::skipped, 0, 6},
      {Outcome::not_run,
       "It was planned and never started: the run ended early, its device was withdrawn, its benchmark was given up "
       "after two timeouts, or the machine lacks what is required.",
       JunitElement::error, 5, 5},
      {Outcome::cancelled, "It was stopped on the way, by Ctrl-C, SIGTERM or SIGHUP.", JunitElement::error, 5,
       5},
  };
  return table;
}

std::string_view to_text(JunitElement element) {
  constexpr std::array<std::string_view, 4> kWords{"none", "failure", "error", "skipped"};
  return kWords.at(static_cast<std::size_t>(element));
}

bool anything_ran(const ExitInputs& inputs) {
  return !inputs.requires_unmet && tally(inputs.outcomes).any_ran;
}

int exit_code(const ExitInputs& inputs) {
  const ExitRule rule = first_rule(inputs);
  return row_of(rule).code + (rule == ExitRule::interrupted ? inputs.interrupted_by : 0);
}

model::RunOutcome run_outcome(const ExitInputs& inputs) { return row_of(first_rule(inputs)).outcome; }

model::Counts counts_of(const std::vector<Outcome>& outcomes) {
  model::Counts counts;
  for (const Outcome outcome : outcomes)
    model::visit_fields(fields_of(&counts).all, [&](const auto& each) {
      each.of(counts) += to_text(outcome) == each.name ? 1U : 0U;
    });
  return counts;
}

std::string signal_name(int signal) {
  switch (signal) {
    case 1:
      return "SIGHUP";
    case 2:
      return "SIGINT";
    case 9:
      return "SIGKILL";
    case 15:
      return "SIGTERM";
    default:
      return "signal " + std::to_string(signal);
  }
}

const std::vector<ExitCodeRow>& exit_code_table() {
  static const std::vector<ExitCodeRow> table = {
      {0, "cases ran, others at most were skipped, and nothing that was judged failed"},
      {1,
       "a case or group check failed or is invalid, an asserted finding that is not confirmed, (--strict) something "
       "undecided, or (compare, run --pairs) a row that is shown to be slower"},
      {2, "the command line is wrong, or what it names cannot be read or written"},
      {3, "the suite or a configuration file is invalid, or a run cannot go on with it"},
      {4, "a plugin that was named is not a plugin, or may not be used"},
      {5,
       "a case ended in an error, crashed, timed out, or was left out while others ran; or the run could not begin or "
       "go on (its device is in use, another run wants its processors for itself, its disk is full)"},
      {6,
       "this machine does not have what `requires`, `policy` or a site file asks for, nothing ran, nothing was judged (--wrap), (--strict) a case or check was "
       "skipped or a limit left out, or (compare) nothing could be compared"},
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
      "The last column names the test, in `tests/integration/test_outcomes.py`, that makes a run end so.\n\n"
      "## Outcomes\n\n"
      "Every case and every group check ends in one of these. The exit code is that of a run with one such case "
      "in which all others passed.\n\n"
      "| outcome | meaning | exit code | with `--strict` | JUnit | shown by |\n"
      "|---|---|---:|---:|---|---|\n";
  for (const OutcomeRow& row : outcome_table()) {
    const std::string junit =
        row.junit == JunitElement::none ? "passes" : "`" + std::string(to_text(row.junit)) + "`";
    // Only a signal leaves a case that ended so, and the signal comes first.
    const bool by_signal = row.outcome == Outcome::cancelled;
    const std::string plain = by_signal ? "129, 130, 143" : std::to_string(row.exit_code);
    const std::string strict = by_signal ? plain : std::to_string(row.strict_exit_code);
    page += "| `" + std::string(row.text()) + "` | " + std::string(row.meaning) + " | " + plain + " | " +
            strict + " | " + junit + " | `test_outcome_" + std::string(row.text()) + "` |\n";
  }
  page +=
      "\n## Exit codes\n\n"
      "Of `assay run` and `assay bench`. 2, 3 and 4 are decided before anything runs. Afterwards the first that applies of "
      "129/130/143, 5, 1, "
      "6, 7, 0 (`test_the_order_of_exit_codes`).\n\n"
      "| code | meaning | shown by |\n"
      "|---:|---|---|\n";
  for (const ExitCodeRow& row : exit_code_table()) {
    const std::string code = std::to_string(row.code);
    page += "| " + code + " | " + std::string(row.meaning) + " | `test_exit_" + code + "` |\n";
  }
  page +=
      "\nA case that was not run beside others that ran is 5: the result has a hole. If no case ran at all, it is 6 "
      "(`test_exit_6`), whatever findings are asserted: nothing was measured, so nothing was refuted "
      "(`test_nothing_is_refuted_where_nothing_ran`).\n"
      "What is undecided does not change the exit code without `--strict` (`test_exit_0`), and findings do not unless they say "
      "`assert: confirmed` (`test_exit_1`).\n";
  return page;
}

}  // namespace assay::result
