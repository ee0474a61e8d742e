// SPDX-License-Identifier: Apache-2.0
//
// Quantities that a suite derives from what a case measured.
#include "judge/case_scope.hpp"
#include "judge/metrics.hpp"
#include "judge/only_round.hpp"
#include "judge/publish.hpp"
#include "judge/telemetry.hpp"
#include "judge/units.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace assay::judge {
namespace {

using suite::Expression;
using Kind = Expression::Kind;

constexpr const char* kNoReference = "derived quantities cannot refer to a reference row";

// Which way a quantity is worse, as far as its parts tell.
enum class Sense { constant, higher, lower, unknown };

Sense opposite(Sense sense) {
  return sense == Sense::higher ? Sense::lower : sense == Sense::lower ? Sense::higher : sense;
}

Sense joined(Sense a, Sense b) {
  if (a == Sense::constant || a == b) return b;
  return b == Sense::constant ? a : Sense::unknown;
}

Sense sense_of(const Expression& expression, const CaseResult& result) {
  const auto part = [&](std::size_t i) { return sense_of(*expression.operands[i], result); };
  switch (expression.kind) {
    case Kind::quantity:
      return Sense::constant;
    case Kind::negate:
      return opposite(part(0));
    case Kind::add:
      return joined(part(0), part(1));
    case Kind::subtract:
    case Kind::divide:
      return joined(part(0), opposite(part(1)));
    case Kind::multiply: {
      const auto negative = [&](std::size_t i) {
        return expression.operands[i]->kind == Kind::quantity && expression.operands[i]->quantity.value < 0;
      };
      const Sense sense = joined(part(0), part(1));
      return negative(0) != negative(1) ? opposite(sense) : sense;
    }
    case Kind::name:
    case Kind::percent_of:
    case Kind::call: {
      const bool call = expression.kind == Kind::call && !expression.operands.empty();
      const MetricResult* metric = result.metric(call ? expression.operands.front()->name : expression.name);
      if (!metric || metric->direction == catalog::Direction::none) return Sense::unknown;
      return metric->direction == catalog::Direction::higher ? Sense::higher : Sense::lower;
    }
    default:
      return Sense::unknown;
  }
}

// The place of the worst value: the least where higher is better, else the largest.
std::size_t worst_of(const std::vector<ValueEntry>& members, Sense sense) {
  const auto smaller = [](const ValueEntry& a, const ValueEntry& b) {
    return a.estimate.value < b.estimate.value;
  };
  const auto found = sense == Sense::higher ? std::min_element(members.begin(), members.end(), smaller)
                                            : std::max_element(members.begin(), members.end(), smaller);
  return static_cast<std::size_t>(found - members.begin());
}

// The metrics that an expression names.
std::vector<const MetricResult*> parts_of(const Expression& expression, const CaseResult& result) {
  std::vector<const MetricResult*> parts;
  for (const Expression* name : suite::names(expression))
    for (const MetricResult& metric : result.metrics)
      if (metric.name == name->name) parts.push_back(&metric);
  return parts;
}

// A metric of that name goes before.
bool names_a_counter(const Expression* name, const CaseResult& result) {
  return result.metric(name->name) == nullptr && is_counter(declaration_of(result, name->name));
}

// Of what was observed and of what counters added alone.
bool is_of_observations(const Expression& expression, const CaseResult& result) {
  const std::vector<const Expression*> names = suite::names(expression);
  return !names.empty() && std::all_of(names.begin(), names.end(), [&](const Expression* name) {
    const MetricResult* metric = result.metric(name->name);
    return metric != nullptr ? metric->observed : names_a_counter(name, result);
  });
}

// max(temperature): over all rounds, of which none has it alone.
bool goes_over_readings(const Expression& expression, const CaseResult& result) {
  if (expression.kind == Kind::call && expression.name != "mean") {
    const std::vector<const Expression*> names = suite::names(expression);
    return std::any_of(names.begin(), names.end(), [&](const Expression* name) {
      return result.metric(name->name) == nullptr && declaration_of(result, name->name) != nullptr;
    });
  }
  return std::any_of(
      expression.operands.begin(), expression.operands.end(),
      [&](const suite::ExpressionPtr& operand) { return goes_over_readings(*operand, result); });
}

bool names_counter(const Expression& expression, const CaseResult& result) {
  const std::vector<const Expression*> names = suite::names(expression);
  return std::any_of(names.begin(), names.end(),
                     [&](const Expression* name) { return names_a_counter(name, result); });
}

// What each member of the expression is in each round: [member][round]; empty if it is not there in each.
std::vector<std::vector<RoundValue>> by_round(const CaseResult& result, const Expression& expression,
                                              std::size_t members) {
  std::vector<std::vector<RoundValue>> rounds(members);
  for (std::size_t r = 0; r < result.last_attempts.size(); ++r) {
    const CaseResult one = only_round(result, r);
    const CaseScope scope(one, nullptr, kNoReference, CaseScope::TelemetryValue::mean);
    const Evaluated evaluated = evaluate(expression, scope);
    if (!evaluated.ok() || evaluated.members.size() != members) return {};
    for (std::size_t m = 0; m < members; ++m) {
      if (!std::isfinite(evaluated.members[m].estimate.value)) return {};
      rounds[m].emplace_back().value = evaluated.members[m].estimate.value;
    }
  }
  return rounds;
}

}  // namespace

std::optional<MetricResult> derived_metric(const CaseResult& result, const suite::Derive& derive,
                                           std::string& why) {
  const bool observed = is_of_observations(*derive.expression, result);
  const bool each_increase = observed && names_counter(*derive.expression, result);
  const CaseScope scope(result, nullptr, kNoReference,
                        each_increase ? CaseScope::TelemetryValue::every : CaseScope::TelemetryValue::mean);
  Evaluated evaluated = evaluate(*derive.expression, scope);
  why = evaluated.why;  // this benchmark may have no such names
  if (!evaluated.ok()) return std::nullopt;
  for (const ValueEntry& member : evaluated.members) {
    if (std::isfinite(member.estimate.interval.low) && std::isfinite(member.estimate.interval.high)) continue;
    why = "no finite number comes out of '" + derive.text + "'";
    return std::nullopt;
  }
  const std::vector<const MetricResult*> parts = parts_of(*derive.expression, result);
  const auto all = [&](const auto& holds) { return std::all_of(parts.begin(), parts.end(), holds); };
  MetricResult derived;
  derived.name = derive.name.value;
  set_unit(unit_of(*derive.expression, evaluated.estimate.dimension, result), derived);
  derived.kind = derived.statistic = "derived";
  derived.counting = derive.text;
  derived.observed = observed;
  derived.too_few = !all([](const MetricResult* part) { return !part->too_few; });
  // In a quotient of two times what the clock is wrong by is in both.
  derived.clocked =
      evaluated.estimate.dimension.time != 0 && !all([](const MetricResult* part) { return !part->clocked; });
  const bool seen = derived.observed || (parts.empty() && goes_over_readings(*derive.expression, result));
  derived.no_interval = seen ? kSeenAsItIs : kOfFewRounds;

  const std::size_t worst = worst_of(evaluated.members, sense_of(*derive.expression, result));
  derived.value = evaluated.members[worst].estimate.value;
  derived.verdict_interval = evaluated.members[worst].estimate.interval;
  // Observations that differ within a round have no one value in it.
  const bool round_by_round = all([](const MetricResult* part) { return part->members.size() <= 1; }) &&
                              !goes_over_readings(*derive.expression, result);
  std::vector<std::vector<RoundValue>> rounds;
  if (round_by_round)
    rounds = by_round(result, *derive.expression, each_increase ? 1 : evaluated.members.size());
  if (each_increase) {
    for (const ValueEntry& member : evaluated.members)
      derived.verdict_interval = {std::min(derived.verdict_interval.low, member.estimate.value),
                                  std::max(derived.verdict_interval.high, member.estimate.value)};
    for (const RoundValue& round : rounds.empty() ? std::vector<RoundValue>() : rounds.front())
      derived.rounds.push_back(round.value);
  } else if (!rounds.empty() && result.last_attempts.size() >= statistics::kFewestProcessesForInterval) {
    MetricResult blank = derived;
    blank.no_interval.clear();
    for (std::size_t m = 0; m < rounds.size(); ++m) {
      MetricResult one = blank;
      across_rounds(rounds[m], result.allowance, result.level(), one);
      evaluated.members[m].estimate.value = one.value;
      evaluated.members[m].estimate.interval = one.verdict_interval;
      if (m == worst) derived = std::move(one);
    }
  } else if (!rounds.empty()) {
    for (const RoundValue& round : rounds[worst]) derived.rounds.push_back(round.value);
  }
  if (evaluated.members.size() > 1 || derived.observed) derived.members = std::move(evaluated.members);
  return derived;
}

void compute_derived(CaseResult& result, const std::vector<suite::Derive>& derive) {
  for (const suite::Derive& each : derive) {
    if (!each.expression || result.metric(each.name.value)) continue;
    std::string why;
    if (auto derived = derived_metric(result, each, why)) {
      result.metrics.push_back(std::move(*derived));
    } else {
      result.not_derived[each.name.value] = std::move(why);
    }
  }
}

}  // namespace assay::judge
