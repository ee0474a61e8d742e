// SPDX-License-Identifier: Apache-2.0
#include "judge/run_verdict.hpp"

#include "judge/expectations.hpp"
#include "result/exit_code.hpp"
#include "result/reasons.hpp"

#include <algorithm>
#include <utility>

namespace assay::judge {
namespace {

using model::RunOutcome;
using result::Outcome;
using result::ReasonSeverity;

ReasonSeverity severity_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::failed:
      return ReasonSeverity::failure;
    case Outcome::invalid:
      return ReasonSeverity::invalid;
    case Outcome::skipped:
      return ReasonSeverity::unmet;
    case Outcome::passed:
      return ReasonSeverity::warning;
    default:
      return ReasonSeverity::error;
  }
}

VerdictReason reason(std::string code, ReasonSeverity severity, std::string subject, std::string text,
                     const std::string& next = {}, const Position& position = {}) {
  const result::ReasonRow* row = result::find_reason(code);
  std::string what_next = next.empty() && row ? std::string(row->next) : next;
  return {std::move(code), severity, std::move(subject), std::move(text), std::move(what_next), position};
}

// Heat explains a shortfall better than the shortfall itself.
std::string with_cause(const CaseResult& result) {
  std::string text = result.reason.text;
  if (result.reason.code == "device.shared") return text;
  for (const Flag& flag : result.flags)
    if (flag.code == "throttled" || flag.code == "shared_device") text += "; " + flag.text;
  return text;
}

// Of a case that passed: its devices have no such thing, or it has too few peers.
bool is_left_out(const ExpectationResult& each) {
  return each.status != ExpectationStatus::passed && each.status != ExpectationStatus::failed &&
         each.status != ExpectationStatus::undecided;
}

std::size_t count_left_out(const CaseResult& result) {
  if (result.outcome != Outcome::passed) return 0;
  return static_cast<std::size_t>(
      std::count_if(result.expectations.begin(), result.expectations.end(), is_left_out));
}

// Under --strict what was not judged is not good enough; else it is said where nothing else was judged.
void add_left_out(const CaseResult& result, bool strict, std::vector<VerdictReason>& reasons) {
  const std::size_t left_out = count_left_out(result);
  if (left_out == 0 || (!strict && left_out < result.expectations.size())) return;
  const auto first = std::find_if(result.expectations.begin(), result.expectations.end(), is_left_out);
  const bool has_no_peers = first->status != ExpectationStatus::not_available;
  if (has_no_peers && !strict) return;  // a flag says so
  std::string text = first->expectation->text + " was not judged: " + first->why;
  if (left_out > 1) text += " (and " + std::to_string(left_out - 1) + " more)";
  reasons.push_back(reason(has_no_peers ? "no_peers" : "not_available",
                           strict ? ReasonSeverity::unmet : ReasonSeverity::warning, result.planned->id,
                           std::move(text), {}, first->expectation->position));
}

void add_case(const CaseResult& result, bool strict, std::vector<VerdictReason>& reasons) {
  const std::string& id = result.planned->id;
  if (result.outcome != Outcome::passed) {
    const Position& position =
        result.reason_position.known() ? result.reason_position : result.planned->position;
    reasons.push_back(reason(result.reason.code, severity_of(result.outcome), id, with_cause(result),
                             result.next, position));
    return;
  }
  add_left_out(result, strict, reasons);
  for (const ExpectationResult& each : result.expectations)
    if (each.status == ExpectationStatus::undecided) {
      reasons.push_back(reason("expectation.undecided", ReasonSeverity::warning, id,
                               undecided_text(*each.expectation, each.relation, each.unit), {},
                               each.expectation->position));
      return;
    }
  for (const Flag& flag : result.flags)
    if (flag.code == "throttled" || flag.code == "shared_device" || flag.code == "simulated" ||
        (flag.code == "no_peers" && !strict)) {
      reasons.push_back(reason(flag.code, ReasonSeverity::warning, id, flag.text));
      return;
    }
}

void add_group(const GroupResult& group, std::vector<VerdictReason>& reasons) {
  if (group.status == ExpectationStatus::passed) return;
  std::string code =
      "group." + std::string(group.nothing_to_compare ? "nothing-to-compare" : to_text(group.status));
  std::replace(code.begin(), code.end(), '_', '-');
  const std::string text = group.status == ExpectationStatus::failed
                               ? failure_text(*group.expectation, group.relation, group.unit)
                           : group.status == ExpectationStatus::undecided
                               ? undecided_text(*group.expectation, group.relation, group.unit)
                               : group.why;
  const std::string next = group.status == ExpectationStatus::failed ? group.expectation->say : std::string();
  reasons.push_back(
      reason(std::move(code), severity_of(group.outcome), group.id, text, next, group.expectation->position));
}

// Cases that did not run for the same reason are one line, not five hundred.
std::vector<VerdictReason> merged(const std::vector<VerdictReason>& reasons) {
  std::vector<VerdictReason> result;
  std::vector<std::size_t> more;
  for (const VerdictReason& each : reasons) {
    const auto same = std::find_if(result.begin(), result.end(), [&](const VerdictReason& r) {
      return r.code == each.code && r.text == each.text && r.severity == each.severity;
    });
    if (same != result.end()) {
      ++more[static_cast<std::size_t>(same - result.begin())];
      continue;
    }
    result.push_back(each);
    more.push_back(0);
  }
  for (std::size_t i = 0; i < result.size(); ++i)
    if (more[i] > 0) result[i].subject += " and " + std::to_string(more[i]) + " more";
  return result;
}

std::string interruption_text(int signal, const std::vector<CaseResult>& cases) {
  const auto complete = std::count_if(cases.begin(), cases.end(), [](const CaseResult& each) {
    return each.outcome != Outcome::not_run && each.outcome != Outcome::cancelled;
  });
  return result::signal_name(signal) + (signal == 2 ? " (Ctrl-C)" : "") + ": " + std::to_string(complete) +
         " of " + std::to_string(cases.size()) + " cases are complete";
}

// "a, b and 12 more".
std::string missing_text(const std::vector<CaseResult>& cases) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  std::size_t missing = 0;
  for (const CaseResult& each : cases) {
    const bool has_no_end = each.outcome == Outcome::not_run || each.outcome == Outcome::cancelled;
    if (!has_no_end || ++missing > kNamed) continue;
    text += (text.empty() ? "" : ", ") + each.planned->id;
  }
  return text + (missing > kNamed ? " and " + std::to_string(missing - kNamed) + " more" : "");
}

std::string incompleteness_text(const result::JournalEnd& end, const std::vector<CaseResult>& cases) {
  std::string text = end.killed ? "the journal has no end, so the run was killed: " : "";
  const auto complete = std::count_if(cases.begin(), cases.end(), [](const CaseResult& each) {
    return each.outcome != Outcome::not_run && each.outcome != Outcome::cancelled;
  });
  text += std::to_string(complete) + " of " + std::to_string(cases.size()) +
          " cases are complete; missing: " + missing_text(cases);
  return text + (end.damage.empty() ? "" : "; " + end.damage);
}

bool left_out(const CaseResult& result) {
  return result.outcome == Outcome::skipped || result.outcome == Outcome::not_run ||
         result.outcome == Outcome::cancelled;
}

}  // namespace

Verdict make_verdict(const plan::Plan& plan, const std::vector<CaseResult>& cases,
                     const std::vector<GroupResult>& groups, const std::vector<FindingResult>& findings,
                     const result::JournalEnd& end, const std::string& suite_name, bool strict) {
  Verdict verdict;
  std::vector<VerdictReason> run, single, repeated;
  result::ExitInputs inputs;
  inputs.strict = strict;
  inputs.interrupted_by = end.killed ? result::kKilledBy : end.interrupted_by;
  inputs.requires_unmet = !plan.unmet.empty();
  for (const plan::Unmet& unmet : plan.unmet)
    run.push_back(reason(unmet.code, ReasonSeverity::unmet, suite_name, unmet.text, {}, unmet.position));
  if (end.killed || !end.damage.empty())
    run.push_back(
        reason("run.incomplete", ReasonSeverity::error, suite_name, incompleteness_text(end, cases)));
  else if (end.interrupted_by != 0)
    run.push_back(reason("run.interrupted", ReasonSeverity::error, suite_name,
                         interruption_text(end.interrupted_by, cases)));

  if (!end.left_out.empty())
    run.push_back(reason("run.left-out", ReasonSeverity::warning, suite_name, end.left_out));

  for (const CaseResult& each : cases) {
    inputs.outcomes.push_back(each.outcome);
    for (const ExpectationResult& expectation : each.expectations)
      verdict.undecided += expectation.status == ExpectationStatus::undecided;
    // The run's own reason already covers cases that it kept from running.
    if (left_out(each) && (each.reason.code == "requires.unmet" || each.reason.code == "run.interrupted" ||
                           each.reason.code == "run.incomplete"))
      continue;
    inputs.limit_left_out = inputs.limit_left_out || count_left_out(each) > 0;
    add_case(each, strict, left_out(each) || each.outcome == Outcome::passed ? repeated : single);
  }
  for (const GroupResult& group : groups) {
    inputs.outcomes.push_back(group.outcome);
    verdict.undecided += group.status == ExpectationStatus::undecided;
    if (group.nothing_to_compare)
      add_group(group, repeated);
    else if (strict && group.status == ExpectationStatus::not_available)
      repeated.push_back(reason("not_available", ReasonSeverity::unmet, group.id,
                                group.expectation->text + " was not judged: " + group.why, {},
                                group.expectation->position));
    else if (group.outcome != Outcome::not_run && group.outcome != Outcome::skipped)
      add_group(group, single);
  }
  // Where nothing ran, nothing was refuted: the run's own reason says all.
  const bool ran = result::anything_ran(inputs);
  for (const FindingResult& finding : findings) {
    if (!ran || !finding.finding->assert_confirmed || finding.verdict == FindingVerdict::confirmed) continue;
    inputs.asserted_finding_not_confirmed = true;
    run.push_back(reason("finding.not-confirmed", ReasonSeverity::failure, finding.finding->id.value,
                         finding.finding->claim_text + " is " + std::string(to_text(finding.verdict)) +
                             (finding.why.empty() ? "" : ": " + finding.why),
                         {}, finding.finding->position));
  }
  inputs.nothing_judged = std::any_of(cases.begin(), cases.end(), [](const CaseResult& each) {
    return !each.judged;  // --wrap is around all workers or none
  });
  if (inputs.nothing_judged)
    run.push_back(reason("run.not-judged", ReasonSeverity::unmet, suite_name,
                         "measured under --wrap: the figures are shown, and nothing was judged"));
  verdict.counts = result::counts_of(inputs.outcomes);
  inputs.undecided = verdict.undecided > 0;
  verdict.exit_code = result::exit_code(inputs);
  verdict.outcome = result::run_outcome(inputs);
  if (verdict.outcome == RunOutcome::nothing_ran)
    run.push_back(reason("run.nothing-ran", ReasonSeverity::unmet, suite_name, "no case ran"));

  verdict.reasons = run;
  verdict.reasons.insert(verdict.reasons.end(), single.begin(), single.end());
  for (VerdictReason& each : merged(repeated)) verdict.reasons.push_back(std::move(each));
  // Who else used a device explains more than what was slow meanwhile.
  const auto rank = [](const VerdictReason& each) {
    return std::pair(each.code != "device.shared", each.severity);
  };
  std::stable_sort(verdict.reasons.begin(), verdict.reasons.end(),
                   [&](const VerdictReason& a, const VerdictReason& b) { return rank(a) < rank(b); });
  return verdict;
}

}  // namespace assay::judge
