// SPDX-License-Identifier: Apache-2.0
#include "judge/outcome_of_case.hpp"

#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::judge {
namespace {

using result::Outcome;

void without_visit(CaseResult& result, const plan::Plan& plan, const result::JournalEnd& end) {
  if (result.planned->predetermined) {
    result.outcome = *result.planned->predetermined;
    result.reason = result.planned->predetermined_reason;
    if (!result.reason.code.empty()) return;
    result.reason.code = result.outcome == Outcome::skipped ? "case.skipped" : "case.not-run";
    return;
  }
  result.outcome = Outcome::not_run;
  if (!plan.unmet.empty()) {
    result.reason.code = "requires.unmet";
    const std::size_t more = plan.unmet.size() - 1;
    result.reason.text = "the machine is not as it must be: " + plan.unmet.front().text +
                         (more > 0 ? "; and " + std::to_string(more) + " more" : "");
  } else if (end.killed) {
    result.reason.code = "run.incomplete";
    result.reason.text = "the run was killed before it was finished";
  } else if (end.interrupted_by != 0) {
    result.reason.code = "run.interrupted";
    result.reason.text = "the run was stopped before its turn";
  } else {
    result.reason.code = "case.not-run";
    result.reason.text = "the run ended before its turn";
  }
}

// A visit that gave samples ran, whatever it said in the end.
bool has_samples(const result::Visit& visit) {
  return std::any_of(visit.ranks.begin(), visit.ranks.end(), [](const result::RankRecord& rank) {
    return !rank.series.device_s.empty() || !rank.series.host_s.empty();
  });
}

// What a round measured stands, whether or not another one was skipped: only what was never measured is
// skipped as a whole.
void set_skipped_rounds_aside(CaseResult& result) {
  const auto skipped = [](const result::Visit* visit) { return visit->outcome == Outcome::skipped; };
  const auto ran = [&](const result::Visit* visit) { return !skipped(visit) || has_samples(*visit); };
  const auto first = std::find_if(result.last_attempts.begin(), result.last_attempts.end(), skipped);
  if (first == result.last_attempts.end() ||
      std::none_of(result.last_attempts.begin(), result.last_attempts.end(), ran))
    return;
  const result::Visit& visit = **first;
  result.skipped_in_part = "round " + std::to_string(visit.round) + " was skipped" +
                           (has_samples(visit) ? " after samples were taken" : ", and others were measured") +
                           (visit.reason.text.empty() ? "" : ": " + printable(visit.reason.text));
  std::vector<const result::Visit*> measured;
  std::copy_if(result.last_attempts.begin(), result.last_attempts.end(), std::back_inserter(measured),
               [&](const result::Visit* each) { return !skipped(each); });
  if (!measured.empty()) result.last_attempts = std::move(measured);
}

// How much memory is in use says nothing of heat; a clock, a temperature and a power do, by whatever name. What a
// journal of before declares nobody knows: there any reading counts.
bool tells_of_heat(const plan::PlannedCase& planned, const result::Visit& visit) {
  constexpr std::array<std::string_view, 3> kUnits = {"Hz", "C", "W"};
  if (!visit.throttle.empty()) return true;
  return std::any_of(visit.telemetry.begin(), visit.telemetry.end(), [&](const result::Reading& reading) {
    if (planned.device_backend == nullptr) return true;
    const catalog::TelemetryQuantity* declared = planned.device_backend->quantity(reading.quantity);
    return declared != nullptr && contains(kUnits, declared->unit);
  });
}

}  // namespace

CaseResult collect(const plan::PlannedCase& planned, const std::vector<const result::Visit*>& visits,
                   const plan::Plan& plan, const result::JournalEnd& end) {
  CaseResult result;
  result.planned = &planned;
  result.visits = visits;
  std::stable_sort(result.visits.begin(), result.visits.end(),
                   [](const result::Visit* a, const result::Visit* b) {
                     return a->round != b->round ? a->round < b->round : a->attempt < b->attempt;
                   });
  for (const result::Visit* visit : result.visits) {
    if (!result.last_attempts.empty() && result.last_attempts.back()->round == visit->round)
      result.last_attempts.back() = visit;
    else
      result.last_attempts.push_back(visit);
  }
  if (result.last_attempts.empty()) {
    without_visit(result, plan, end);
    return result;
  }
  set_skipped_rounds_aside(result);
  const result::Visit* worst = result.last_attempts.front();
  for (const result::Visit* visit : result.last_attempts) {
    if (visit->outcome > worst->outcome) worst = visit;
    result.judged = result.judged && visit->measurement.judged;
  }
  result.outcome = worst->outcome;
  if (worst->outcome != Outcome::passed) {
    result.reason = worst->reason;
    result.reason.text = printable(result.reason.text);
    if (const auto at = planned.parameter_positions.find(result.reason.parameter);
        at != planned.parameter_positions.end())
      result.reason_position = at->second;
  } else if (static_cast<int>(result.last_attempts.size()) < planned.rounds &&
             result.skipped_in_part.empty()) {
    result.outcome = Outcome::cancelled;
    result.reason.code = end.killed                ? "run.incomplete"
                         : end.interrupted_by != 0 ? "run.interrupted"
                                                   : "case.not-run";
    result.reason.text = std::to_string(result.last_attempts.size()) + " of " +
                         std::to_string(planned.rounds) + " rounds were finished before the run ended";
  }
  // Of its only round, which was skipped after samples were taken, nothing stands.
  if (!result.skipped_in_part.empty() && result.outcome == Outcome::skipped) refuse_skipped_in_part(result);
  for (const result::RankRecord& rank : result.last_attempts.front()->ranks)
    for (const auto& [name, text] : rank.facts) result.facts.emplace(name, printable(text));
  return result;
}

void refuse_skipped_in_part(CaseResult& result) {
  const bool fits = result.outcome == Outcome::passed || result.outcome == Outcome::skipped;
  if (result.skipped_in_part.empty() || !fits) return;
  result.outcome = Outcome::error;
  result.reason = {};
  result.reason.code = "case.skipped-in-part";
  result.reason.text = result.skipped_in_part;
}

void apply_verification(CaseResult& result) {
  result.verified = true;
  for (const result::Visit* visit : result.last_attempts) {
    if (visit->ranks.empty()) result.verified = false;
    for (const result::RankRecord& rank : visit->ranks) {
      bool checked = false;
      for (const result::Verification& verification : rank.verifications) {
        checked = checked || verification.checked > 0;
        if (verification.wrong == 0 || !result.reason.code.empty()) continue;
        result.outcome = Outcome::failed;
        result.reason.code = "verify.wrong";
        result.reason.text = std::to_string(verification.wrong) + " of " +
                             std::to_string(verification.checked) + " checked values are wrong (" +
                             printable(verification.method) + ")";
        result.reason.phase = "verify";
        result.reason.rank = visit->ranks.size() > 1 ? rank.rank : -1;
        if (!rank.devices.empty()) result.reason.device = rank.devices.front();
        result.measured = false;
      }
      result.verified = result.verified && checked;  // one rank's word says nothing of the others
    }
  }
}

void refuse_unverified(CaseResult& result) {
  const auto rate =
      std::find_if(result.metrics.begin(), result.metrics.end(), [](const MetricResult& metric) {
        return metric.headline && metric.kind == "rate" && !metric.reported;
      });
  if (rate == result.metrics.end()) return;
  result.outcome = Outcome::failed;
  result.reason.code = "verify.missing";
  result.reason.text = "no result was verified, so '" + rate->name + "' is not published";
  result.reason.phase = "verify";
}

void apply_checks(CaseResult& result) {
  const auto& last = result.last_attempts;
  for (const result::Visit* visit : result.visits) {
    // What was wrong in an attempt that was too hot is wrong in a cool one, too, or comes and goes.
    const bool is_replaced = std::find(last.begin(), last.end(), visit) == last.end();
    if (is_replaced && visit->outcome != Outcome::passed) continue;
    for (const result::RankRecord& rank : visit->ranks)
      for (const result::Check& check : rank.checks) {
        if (check.passed || !result.reason.code.empty()) continue;
        result.outcome = Outcome::failed;
        result.reason.code = "check.failed";
        result.reason.text = printable(check.name + (check.subject.empty() ? "" : " of " + check.subject) +
                                       (check.text.empty() ? "" : ": " + check.text));
        if (is_replaced)
          result.reason.text += ", in attempt " + std::to_string(visit->attempt) + " of round " +
                                std::to_string(visit->round) + ", which was repeated";
        if (visit->ranks.size() > 1) result.reason.rank = rank.rank;
      }
  }
}

void apply_throttle(CaseResult& result) {
  if (result.planned->measure.throttle != plan::Throttle::fail || !result.reason.code.empty()) return;
  const Flag* const flag = model::find_flag(result.flags, "throttled");
  if (flag == nullptr) {
    for (const result::Visit* visit : result.last_attempts) {
      if (tells_of_heat(*result.planned, *visit) && visit->telemetry_problem.empty()) continue;
      result.outcome = Outcome::failed;
      result.reason.code = "expectation.not-judged";
      result.reason.text =
          std::string("throttle: fail: ") +
          (visit->telemetry_problem.empty() ? "neither clock, temperature nor power of the devices was read"
                                            : "not all was read of the devices") +
          " in round " + std::to_string(visit->round) + ", so nobody knows whether they were throttled" +
          (visit->telemetry_problem.empty() ? "" : ": " + printable(visit->telemetry_problem));
      return;
    }
    return;
  }
  result.outcome = Outcome::failed;
  result.reason.code = "device.throttled";
  result.reason.text = flag->text;
}

}  // namespace assay::judge
