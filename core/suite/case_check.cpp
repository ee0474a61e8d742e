// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.hpp"
#include "model/measure_keys.hpp"
#include "suite/axis_index.hpp"
#include "suite/case_reader.hpp"
#include "suite/external.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace assay::suite {

namespace {

// What an axis over it would be called, and where it is fixed.
std::map<std::string, Position> fixed_settings(const SuiteCase& one) {
  std::map<std::string, Position> fixed;
  for (const auto& [name, value] : one.with) fixed.emplace(name.value, name.position);
  for (const auto& [name, value] : one.env) fixed.emplace("env." + name.value, name.position);
  if (one.devices.kind != DeviceChoice::Kind::unset) fixed.emplace("devices", one.devices.position);
  if (!one.load.value.empty()) fixed.emplace("load", one.load.position);
  if (one.ranks) fixed.emplace("ranks", one.ranks->position);
  if (one.bind) fixed.emplace("bind", one.bind->position);
  for (const model::MeasureKey& key : model::kMeasureKeys)
    if (const Position* where = one.measure.where(key.member); where && key.condition)
      fixed.emplace(key.name, *where);
  return fixed;
}

void check_settings(const SuiteCase& one, Diagnostics& diagnostics) {
  const auto fixed = fixed_settings(one);
  std::map<std::string, const SuiteAxis*> swept;
  std::set<std::string> reported;
  const auto sweep = [&](const Located<std::string>& name, const SuiteAxis& axis) {
    // A variant says something in place of the case.
    const bool replaces = axis.of_variants && name.value != kVariant;
    if (const auto found = fixed.find(name.value); found != fixed.end() && !replaces)
      diagnostics.error("suite.conflict", name.position,
                        "'" + name.value + "' is fixed in line " + std::to_string(found->second.line) +
                            " and swept by 'matrix'",
                        "keep one of them");
    const auto [other, fresh] = swept.emplace(name.value, &axis);
    if (!fresh && other->second != &axis && name.value == kVariant)
      diagnostics.error("suite.conflict", name.position,
                        "'variants' make the axis 'variant', and another axis has that name",
                        "sweep the parameter 'variant' by 'variants', or give it one value under 'with'");
    else if (!fresh && other->second != &axis && reported.insert(name.value).second)
      diagnostics.error("suite.conflict", name.position,
                        "'" + name.value + "' is set by two axes, '" + other->second->name.value + "' and '" +
                            axis.name.value + "'",
                        "keep one of them");
  };
  for (const SuiteAxis& axis : one.matrix.axes) {
    // The name of a bundle is free; it is a parameter only if it is also one of its keys.
    if (!is_bundle(axis) || axis.of_variants) sweep(axis.name, axis);
    for (const AxisValue& value : axis.values)
      if (is_bundle(axis))
        for (const Located<std::string>& name : names_set_by(value)) sweep(name, axis);
  }
}

void check_measure(const SuiteCase& one, Diagnostics& diagnostics) {
  const Position* first = one.measure.where(&model::MeasureOptions::samples);
  const Position* second = one.measure.where(&model::MeasureOptions::precision);
  if (first && second) {
    const bool later = std::pair(first->line, first->column) > std::pair(second->line, second->column);
    diagnostics.error(
        "suite.conflict", later ? *first : *second,
        "'samples' and 'precision' contradict each other: sampling ends at a count or at a precision",
        "keep one of them");
  }
  const double hold_s = one.measure.values.hold_s;
  const Position* hold = one.measure.where(&model::MeasureOptions::hold_s);
  if (hold && one.timeout_s && hold_s >= one.timeout_s->value)
    diagnostics.error("suite.conflict", *hold,
                      "the load is held for " + to_text(Quantity{hold_s, Dimension{.time = 1}, false}) +
                          " and the timeout is " +
                          to_text(Quantity{one.timeout_s->value, Dimension{.time = 1}, false}),
                      "raise 'timeout' above 'for'");
  const bool swept = std::any_of(one.matrix.axes.begin(), one.matrix.axes.end(),
                                 [](const SuiteAxis& axis) { return axis.name.value == "devices"; });
  if (!one.load.value.empty() && one.devices.kind != DeviceChoice::Kind::each && !swept)
    diagnostics.error("suite.conflict", one.load.position, "'load' needs 'devices: each'",
                      "add it, or remove 'load'");
}

void check_include(const SuiteCase& one, const Match& point, const AxisIndex& index,
                   Diagnostics& diagnostics) {
  const auto sets = [&](const std::string& name) {
    return std::any_of(point.terms.begin(), point.terms.end(),
                       [&](const auto& term) { return term.first.value == name; });
  };
  for (const auto& [name, values] : point.terms)
    if (!index.has(name.value)) {
      diagnostics.error("suite.reference", name.position, "'" + name.value + "' is not an axis of this case",
                        suggestion(name.value, index.names(), "only 'matrix' makes axes"));
    }
  const auto needs = [&](const std::string& name) {
    if (!sets(name))
      diagnostics.error("suite.missing-key", point.position,
                        "an included point needs a value for '" + name + "'", "it must set every axis");
  };
  for (const SuiteAxis& axis : one.matrix.axes) {
    if (axis.of_variants) continue;  // every variant of it is measured
    if (!is_bundle(axis)) needs(axis.name.value);
    if (is_bundle(axis))
      for (const auto& [name, scalar] : axis.values.front().map) needs(name.value);
  }
}

void check_references(const SuiteCase& one, Diagnostics& diagnostics) {
  const AxisIndex index(one);
  for (const Match& match : one.matrix.exclude)
    for (const auto& [name, values] : match.terms)
      for (const Scalar& value : values) index.check(name, value, diagnostics);
  for (const Match& match : one.matrix.include) check_include(one, match, index, diagnostics);
  for (const auto& [name, value] : one.reference) index.check(name, value, diagnostics);
  for (const SuiteExpectation& expectation : one.expect)
    for (const auto& [name, values] : expectation.where)
      for (const Scalar& value : values) index.check(name, value, diagnostics);
}

}  // namespace

void check_case(const SuiteCase& one, Diagnostics& diagnostics) {
  check_settings(one, diagnostics);
  check_measure(one, diagnostics);
  check_external(one, diagnostics);
  if (!one.matrix.broken) check_references(one, diagnostics);
}

}  // namespace assay::suite
