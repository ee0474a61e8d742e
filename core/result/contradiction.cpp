// SPDX-License-Identifier: Apache-2.0
#include "result/contradiction.hpp"

#include "model/document_fields.hpp"
#include "result/exit_code.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace assay::result {
namespace {

using model::ExpectationStatus;
using model::FindingVerdict;
using model::RunOutcome;

constexpr int kSignals = 64;

std::string quoted(const std::string& id) { return "'" + id + "'"; }

// A word that this version does not have, or none at all.
bool has_unknown_word(const model::Document& stated) {
  const auto is_unknown = [](const auto& each) { return each.status == ExpectationStatus::other; };
  return stated.verdict.outcome == RunOutcome::other ||
         std::any_of(stated.cases.begin(), stated.cases.end(),
                     [&](const model::Case& one) {
                       return one.outcome == Outcome::other ||
                              std::any_of(one.expectations.begin(), one.expectations.end(), is_unknown);
                     }) ||
         std::any_of(stated.groups.begin(), stated.groups.end(),
                     [&](const model::Group& group) {
                       return group.outcome == Outcome::other || is_unknown(group);
                     }) ||
         std::any_of(stated.findings.begin(), stated.findings.end(),
                     [](const model::Finding& finding) { return finding.verdict == FindingVerdict::other; });
}

// What a case that passed cannot have.
std::string problem_of_passed(const model::Case& one) {
  const std::string passed = "case " + quoted(one.id) + " is passed, and ";
  if (one.reason && !one.reason->code.empty()) return passed + "has the reason " + quoted(one.reason->code);
  if (one.verification && one.verification->wrong > 0) return passed + "its verification found wrong values";
  for (const model::Check& check : one.checks)
    if (!check.passed) return passed + "its check " + quoted(check.name) + " is not";
  for (const model::Expectation& each : one.expectations) {
    // `alone: skip` leaves a comparison with peers out where there are too few.
    const bool is_left_out =
        each.status == ExpectationStatus::no_reference && find_flag(one.flags, "no_peers") != nullptr;
    if (each.status == ExpectationStatus::passed || each.status == ExpectationStatus::undecided ||
        each.status == ExpectationStatus::not_available || is_left_out)
      continue;
    return passed + "its expectation " + quoted(each.text) + " is " + std::string(to_text(each.status));
  }
  return {};
}

// What is less than this apart, as a share, differs by how it was rounded.
constexpr double kRounding = 1e-9;

bool is_above(double value, double limit) {
  return value - limit > kRounding * std::max(std::fabs(value), std::fabs(limit));
}

std::string problem_of(const model::Case& one, const model::Metric& metric) {
  if (!metric.value || !std::isfinite(*metric.value)) return {};
  std::vector<double> rounds;
  std::copy_if(metric.rounds.begin(), metric.rounds.end(), std::back_inserter(rounds),
               [](double value) { return std::isfinite(value); });
  if (rounds.empty()) return {};
  const auto [least, most] = std::minmax_element(rounds.begin(), rounds.end());
  if (!is_above(*least, *metric.value) && !is_above(*metric.value, *most)) return {};
  return quoted(metric.name) + " of case " + quoted(one.id) + " is " + shortest(*metric.value) +
         ", and its rounds lie from " + shortest(*least) + " to " + shortest(*most);
}

// Of a limit that is a number of its own. What is a share of something else is judged by more than the two numbers here.
std::string problem_of(const model::Case& one, const model::Expectation& each) {
  const bool is_plain = each.text.find('%') == std::string::npos &&
                        each.text.find(" within ") == std::string::npos && each.value.is_number() &&
                        each.limit.is_number();
  const bool passed = each.status == ExpectationStatus::passed;
  if (!is_plain || (!passed && each.status != ExpectationStatus::failed)) return {};
  const auto value = each.value.get<double>(), limit = each.limit.get<double>();
  const bool above = is_above(value, limit), below = is_above(limit, value);
  const bool differs = each.op == "=="            ? above || below
                       : each.op == "!="          ? value == limit
                       : each.op.starts_with('<') ? above
                       : each.op.starts_with('>') ? below
                                                  : !passed;
  const bool holds = each.op == "=="            ? value == limit
                     : each.op == "!="          ? above || below
                     : each.op.starts_with('<') ? below
                     : each.op.starts_with('>') ? above
                                                : passed;
  if (passed ? !differs : !holds) return {};
  return "expectation " + quoted(each.text) + " of case " + quoted(one.id) + " is " +
         std::string(to_text(each.status)) + ", and its value is " + shortest(value) + " and its limit " +
         shortest(limit);
}

std::string problem_of_numbers(const model::Document& stated) {
  for (const model::Case& one : stated.cases) {
    for (const model::Metric& metric : one.metrics)
      if (std::string problem = problem_of(one, metric); !problem.empty()) return problem;
    for (const model::Expectation& each : one.expectations)
      if (std::string problem = problem_of(one, each); !problem.empty()) return problem;
  }
  return {};
}

std::string problem_of(const model::Group& group) {
  const bool may_be_passed =
      group.status == ExpectationStatus::passed || group.status == ExpectationStatus::undecided;
  if (group.outcome == Outcome::passed ? may_be_passed : group.status != ExpectationStatus::passed) return {};
  return "group check " + quoted(group.id) + " is " + std::string(to_text(group.outcome)) +
         ", and its status is " + std::string(to_text(group.status));
}

std::string problem_of_parts(const model::Document& stated) {
  for (const model::Case& one : stated.cases)
    if (one.outcome == Outcome::passed)
      if (std::string problem = problem_of_passed(one); !problem.empty()) return problem;
  for (const model::Group& group : stated.groups)
    if (std::string problem = problem_of(group); !problem.empty()) return problem;
  return {};
}

bool has_reason(const model::Document& stated, std::string_view code) {
  return std::any_of(stated.verdict.reasons.begin(), stated.verdict.reasons.end(),
                     [&](const model::VerdictReason& reason) { return reason.code == code; });
}

// The signal's number; of a run that was killed the document has no name.
int signal_of(const model::Document& stated) {
  const std::string& name = stated.run.mode.interrupted_by;
  if (name.empty()) return stated.verdict.outcome == RunOutcome::interrupted ? kKilledBy : 0;
  for (int signal = 1; signal <= kSignals; ++signal)
    if (signal_name(signal) == name) return signal;
  return kSignals + 1;
}

std::uint64_t count_undecided(const model::Document& stated) {
  const auto is_undecided = [](const auto& each) { return each.status == ExpectationStatus::undecided; };
  auto count = std::count_if(stated.groups.begin(), stated.groups.end(), is_undecided);
  for (const model::Case& one : stated.cases)
    count += std::count_if(one.expectations.begin(), one.expectations.end(), is_undecided);
  return static_cast<std::uint64_t>(count);
}

bool has_limit_left_out(const model::Case& one) {
  return one.outcome == Outcome::passed &&
         std::any_of(one.expectations.begin(), one.expectations.end(), [](const model::Expectation& each) {
           return each.status == ExpectationStatus::not_available ||
                  each.status == ExpectationStatus::no_reference;
         });
}

ExitInputs inputs_of(const model::Document& stated) {
  ExitInputs inputs;
  for (const model::Case& one : stated.cases) inputs.outcomes.push_back(one.outcome);
  for (const model::Group& group : stated.groups) inputs.outcomes.push_back(group.outcome);
  inputs.interrupted_by = signal_of(stated);
  inputs.strict = stated.run.mode.strict;
  inputs.limit_left_out = std::any_of(stated.cases.begin(), stated.cases.end(), has_limit_left_out);
  inputs.undecided = count_undecided(stated) > 0;
  // Of --pairs the document has the reason alone.
  inputs.asserted_finding_not_confirmed =
      has_reason(stated, "run.slower") ||
      std::any_of(stated.findings.begin(), stated.findings.end(), [](const model::Finding& finding) {
        return finding.asserted && finding.verdict != FindingVerdict::confirmed;
      });
  // "" was recorded of a run without a tool, and nothing by older versions.
  inputs.nothing_judged = !stated.run.mode.wrap.value_or("").empty() || has_reason(stated, "run.not-judged");
  return inputs;
}

// What a machine lacks stands in no case: a reason says so.
bool lacks_something(const model::Document& stated) {
  return std::any_of(stated.verdict.reasons.begin(), stated.verdict.reasons.end(),
                     [](const model::VerdictReason& reason) {
                       return reason.severity == model::ReasonSeverity::unmet &&
                              reason.code != "run.nothing-ran" && reason.code != "run.not-judged";
                     });
}

// Where something is lacking no case is started, so that it excuses nothing that failed.
bool may_be_unmet(const model::Document& stated, const ExitInputs& inputs) {
  const bool none_started = std::all_of(stated.cases.begin(), stated.cases.end(), [](const model::Case& one) {
    return one.outcome == Outcome::not_run || one.outcome == Outcome::skipped;
  });
  const RunOutcome without = run_outcome(inputs);
  return lacks_something(stated) && (none_started || without == RunOutcome::passed);
}

std::string verdict_text(RunOutcome outcome, int exit_code) {
  return std::string(to_text(outcome)) + " (exit code " + std::to_string(exit_code) + ")";
}

// One that shows what the parts come to: " (case 'membw' is failed)".
std::string example_of(const model::Document& stated) {
  std::string text;
  Outcome worst = Outcome::passed;
  const auto look = [&](const char* what, const std::string& id, Outcome outcome) {
    if (outcome <= worst) return;
    worst = outcome;
    text = std::string(" (") + what + quoted(id) + " is " + std::string(to_text(outcome)) + ")";
  };
  for (const model::Case& one : stated.cases) look("case ", one.id, one.outcome);
  for (const model::Group& group : stated.groups) look("group check ", group.id, group.outcome);
  if (worst > Outcome::skipped) return text;
  for (const model::Finding& finding : stated.findings)
    if (finding.asserted && finding.verdict != FindingVerdict::confirmed)
      return " (finding " + quoted(finding.id) + " is " + std::string(to_text(finding.verdict)) +
             ", and asserted)";
  return text;
}

std::string problem_of_verdict(const model::Document& stated) {
  ExitInputs inputs = inputs_of(stated);
  const auto is_stated = [&] {
    return run_outcome(inputs) == stated.verdict.outcome && exit_code(inputs) == stated.verdict.exit_code;
  };
  if (is_stated()) return {};
  const std::string come_to = verdict_text(run_outcome(inputs), exit_code(inputs));
  inputs.requires_unmet = may_be_unmet(stated, inputs);
  if (is_stated()) return {};
  return "its verdict is " + verdict_text(stated.verdict.outcome, stated.verdict.exit_code) +
         ", and its cases, group checks and findings come to " + come_to + example_of(stated);
}

std::string problem_of_counts(const model::Document& stated) {
  const model::Counts counted = counts_of(inputs_of(stated).outcomes);
  std::string problem;
  const auto compare = [&](const auto& each) {
    const std::uint64_t said = each.of(stated.verdict.counts), found = each.of(counted);
    if (said != found && problem.empty())
      problem = "its verdict counts " + std::to_string(said) + " " + each.name + ", and " +
                std::to_string(found) + " of its cases and group checks are";
  };
  model::visit_fields(fields_of(&counted).all, compare);
  if (!problem.empty()) return problem;
  const std::uint64_t open = count_undecided(stated);
  if (open == stated.verdict.undecided) return {};
  return "its verdict counts " + std::to_string(stated.verdict.undecided) + " undecided, and " +
         std::to_string(open) + " of its expectations and group checks are";
}

}  // namespace

std::string contradiction_in(const model::Document& stated) {
  if (has_unknown_word(stated)) return {};
  using FindProblem = std::string (*)(const model::Document&);
  for (const FindProblem find :
       {&problem_of_verdict, &problem_of_counts, &problem_of_parts, &problem_of_numbers})
    if (std::string problem = find(stated); !problem.empty()) return problem;
  return {};
}

}  // namespace assay::result
