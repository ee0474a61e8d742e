// SPDX-License-Identifier: Apache-2.0
#include "judge/diagnoses.hpp"

#include "base/quantity.hpp"
#include "judge/case_scope.hpp"
#include "model/field_json.hpp"
#include "suite/rule.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::judge {
namespace {

struct Evidence {
  std::string text;
  suite::ExpressionPtr relation;
};

std::string value_text(const Estimate& value, bool as_share) {
  return value.dimension.none() && as_share ? percent_text(value.value)
                                            : quantity_text(value.value, base_unit(value.dimension));
}

// What was seen, in the form in which the rule asks: a share where it names one. A limit that the rule does not give
// as a quantity is said, too.
std::string seen_text(const Evidence& evidence, const Relation& relation) {
  if (relation.is_text)  // an equality that holds has said it
    return relation.comparison == ComparisonOperator::equal ? std::string() : relation.measured_text;
  const bool as_share = evidence.text.find('%') != std::string::npos;
  std::string seen = value_text(relation.measured.estimate, as_share);
  const auto is_quantity = [](const suite::ExpressionPtr& side) {
    return side->kind == suite::Expression::Kind::quantity;
  };
  const auto& sides = evidence.relation->operands;
  if (std::any_of(sides.begin(), sides.end(), is_quantity)) return seen;
  return seen + ", limit " + value_text(relation.limit.estimate, as_share);
}

// The side of a relation that is not its quantity; "" where none is.
std::string measured_side(const Evidence& evidence) {
  const auto& sides = evidence.relation->operands;
  for (std::size_t i = 0; i < sides.size(); ++i)
    if (sides[i]->kind == suite::Expression::Kind::quantity) return suite::to_text(*sides[1 - i]);
  return {};
}

// What was seen of a value, with all limits that the rule puts on it.
struct Seen {
  std::string of, asked;
  double value = 0;
  std::string text, other_end = {};  // of its interval, where limits from both sides look at one each
};

void add(std::vector<Seen>& all, const Evidence& evidence, const Relation& relation) {
  Seen one{relation.is_text ? std::string() : measured_side(evidence), evidence.text,
           relation.measured.estimate.value, seen_text(evidence, relation)};
  const auto same = std::find_if(all.begin(), all.end(),
                                 [&](const Seen& each) { return !one.of.empty() && each.of == one.of; });
  if (same == all.end()) {
    all.push_back(std::move(one));
    return;
  }
  same->asked += ", " + one.asked;
  if (one.text == same->text) return;
  if (one.value < same->value) std::swap(one.text, same->text);
  same->other_end = one.text;
}

// What the variable is in the case, or nothing where nobody set it or where it is an axis.
std::optional<std::string> value_of(const std::string& variable, const CaseResult& one,
                                    const Json& environment) {
  for (const plan::AxisPoint& axis : one.planned->axes)
    if (axis.name == "env." + variable) return std::nullopt;
  for (const auto& [name, value] : one.planned->environment)
    if (name == variable) return value;
  const auto found = environment.is_object() ? environment.find(variable) : environment.end();
  if (found == environment.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

// What the case has of all that the rule asks for; nothing if it lacks one of them.
std::vector<std::string> evidence_in(const CaseResult& one, const suite::Rule& rule,
                                     const std::vector<Evidence>& evidence, const Json& environment) {
  std::vector<std::string> found;
  if (!one.measured || !one.judged) return found;
  if (!rule.uses.empty() && (!one.planned->benchmark || one.planned->benchmark->name != rule.uses))
    return found;
  for (const auto& [variable, values] : rule.env) {
    const auto value = value_of(variable, one, environment);
    if (!value || (!values.empty() && !contains(values, *value))) return {};
    found.push_back(variable + "=" + printable(*value));
  }
  const CaseScope scope(one, nullptr, "a rule has no reference row", CaseScope::TelemetryValue::mean);
  std::vector<Seen> seen;
  for (const Evidence& each : evidence) {
    const Relation relation = evaluate_relation(*each.relation, scope);
    if (!(relation.is_text || (relation.measured.ok() && relation.limit.ok()))) return {};
    if (relation.truth != Truth::yes) return {};
    add(seen, each, relation);
  }
  for (const Seen& each : seen)
    found.push_back(each.asked + (each.text.empty() ? "" : ": " + each.text) +
                    (each.other_end.empty() ? std::string() : " to " + each.other_end));
  return found;
}

// A rule of a journal that another version wrote may hold what this one cannot read; then it says nothing.
std::optional<std::vector<Evidence>> parsed(const suite::Rule& rule) {
  std::vector<Evidence> evidence;
  for (const std::string& text : rule.evidence) {
    Diagnostics problems;
    evidence.push_back({text, suite::parse_expression(text, Position{}, problems)});
    if (!evidence.back().relation) return std::nullopt;
  }
  return evidence;
}

}  // namespace

std::vector<model::Diagnosis> diagnose(const Json& rules, const std::vector<CaseResult>& cases,
                                       const Json& environment) {
  std::vector<model::Diagnosis> diagnoses;
  if (!rules.is_array()) return diagnoses;
  for (const Json& json : rules) {
    const auto rule = model::read_leniently<suite::Rule>(json);
    const auto evidence = parsed(rule);
    if (!evidence) continue;
    model::Diagnosis diagnosis{rule.id, rule.symptom, rule.cause, rule.remedy, rule.source, {}};
    for (const CaseResult& one : cases)
      if (std::vector<std::string> found = evidence_in(one, rule, *evidence, environment); !found.empty())
        diagnosis.cases.push_back({one.planned->id, std::move(found)});
    if (!diagnosis.cases.empty()) diagnoses.push_back(std::move(diagnosis));
  }
  return diagnoses;
}

}  // namespace assay::judge
