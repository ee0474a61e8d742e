// SPDX-License-Identifier: Apache-2.0
#include "plan/case_names.hpp"

#include "base/quantity.hpp"
#include "base/suggest.hpp"
#include "model/document_case.hpp"
#include "suite/dimension.hpp"
#include "suite/external.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::plan {

const catalog::TelemetryQuantity* CaseNames::quantity(const std::string& name) const {
  return subject_.backend == nullptr ? nullptr : subject_.backend->quantity(name);
}

const suite::Derive* CaseNames::derived(const std::string& name) const {
  return find_in(suite_.derive, [&](const suite::Derive& each) { return each.name.value == name; });
}

bool CaseNames::has_energy() const {
  return subject_.backend != nullptr && subject_.backend->counts_energy();
}

bool CaseNames::is_fact(const std::string& name) const {
  return find_in(benchmark_.facts, [&](const catalog::Fact& each) { return each.name == name; }) != nullptr;
}

bool CaseNames::is_text(const std::string& name) const {
  if (is_fact(name)) return true;
  const catalog::Parameter* parameter = benchmark_.parameter(name);
  return parameter != nullptr && parameter->type == catalog::ParameterType::text;
}

std::optional<Dimension> CaseNames::dimension(const std::string& name) const { return dimension_at(name, 0); }

// The parser has refused circles, and depth ends all the same.
std::optional<Dimension> CaseNames::dimension_at(const std::string& name, int depth) const {
  if (const catalog::MetricDeclaration* metric = benchmark_.metric(name))
    return parse_unit(metric->unit).value_or(Unit{}).dimension;
  if (const catalog::TelemetryQuantity* known = quantity(name))
    return parse_unit(known->unit).value_or(Unit{}).dimension;
  const suite::Derive* one = derived(name);
  if (one == nullptr && has_energy() && name == model::kEnergyPerIteration)
    return parse_unit("J").value_or(Unit{}).dimension;
  if (one == nullptr || depth > static_cast<int>(suite_.derive.size())) return std::nullopt;
  Diagnostics unused;
  return suite::dimension_of(
      *one->expression, [&](const suite::Expression& node) { return dimension_at(node.name, depth + 1); },
      unused);
}

const suite::Expression* CaseNames::source(const std::string& name) const {
  const suite::Derive* one = derived(name);
  const bool is_taken = benchmark_.metric(name) != nullptr || quantity(name) != nullptr;
  return one == nullptr || is_taken ? nullptr : one->expression.get();
}

bool CaseNames::is_positive(const std::string& name) const {
  const catalog::MetricDeclaration* metric = benchmark_.metric(name);
  if (metric == nullptr) return name == "time" && source(name) == nullptr;
  return !metric->reported &&
         (metric->kind == catalog::MetricKind::rate || metric->kind == catalog::MetricKind::duration);
}

bool CaseNames::is_one_number(const std::string& name) const {
  if (const catalog::MetricDeclaration* metric = benchmark_.metric(name))
    return metric->reported ? metric->measured : metric->kind != catalog::MetricKind::value;
  return quantity(name) == nullptr && derived(name) == nullptr && dimension(name).has_value();
}

// The parser has refused circles, and depth ends all the same.
bool CaseNames::has_one_value_at(const std::string& name, int depth) const {
  if (const catalog::MetricDeclaration* metric = benchmark_.metric(name)) {
    if (metric->dimensions > 0) return false;
    if (!metric->reported) return metric->kind != catalog::MetricKind::value;
    const suite::ExternalMetric* printed =
        find_in(subject_.suite_case->external.metrics,
                [&](const suite::ExternalMetric& each) { return each.name.value == name; });
    if (!metric->measured || printed == nullptr || !printed->pattern)
      return false;          // JSON may have an array there
    std::size_t groups = 0;  // those before the last one are indices
    return suite::pattern_problem(printed->pattern->value, groups).empty() && groups == 1;
  }
  if (quantity(name) != nullptr) return false;
  const suite::Derive* one = derived(name);
  if (one == nullptr) return name == "time" || (has_energy() && name == model::kEnergyPerIteration);
  if (depth > static_cast<int>(suite_.derive.size())) return false;
  const auto parts = suite::names(*one->expression);
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](const suite::Expression* part) {
    return has_one_value_at(part->name, depth + 1);
  });
}

std::optional<Dimension> CaseNames::check(const std::string& name, const Position& position, bool of_share,
                                          Diagnostics& diagnostics) const {
  if (const auto known = dimension(name)) return known;
  if (is_text(name) || derived(name) != nullptr) return std::nullopt;
  const std::vector<std::string> metrics = this->metrics(), telemetry = this->telemetry();
  std::vector<std::string> candidates = metrics;
  candidates.insert(candidates.end(), telemetry.begin(), telemetry.end());
  for (const catalog::Fact& fact : benchmark_.facts) candidates.push_back(fact.name);
  for (const suite::Derive& one : suite_.derive) candidates.push_back(one.name.value);
  if (of_share) candidates.insert(candidates.end(), {"peak", "reference", "baseline", "peers"});
  diagnostics.error("suite.unknown-metric", position,
                    "'" + benchmark_.name + "' has no metric '" + printable(name) + "'",
                    suggestion(name, candidates,
                               "it has " + join(metrics, ", ") +
                                   (telemetry.empty() ? "" : "; telemetry: " + join(telemetry, ", "))));
  return std::nullopt;
}

std::vector<std::string> CaseNames::metrics() const {
  std::vector<std::string> names;
  for (const catalog::MetricDeclaration& metric : benchmark_.metrics) names.push_back(metric.name);
  names.emplace_back("time");
  if (has_energy()) names.emplace_back(model::kEnergyPerIteration);
  return names;
}

std::vector<std::string> CaseNames::telemetry() const {
  std::vector<std::string> names;
  if (subject_.backend != nullptr)
    for (const catalog::TelemetryQuantity& each : subject_.backend->telemetry) names.push_back(each.name);
  return names;
}

}  // namespace assay::plan
