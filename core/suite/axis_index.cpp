// SPDX-License-Identifier: Apache-2.0
#include "suite/axis_index.hpp"

#include "base/suggest.hpp"
#include "suite/scalar.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::suite {

namespace {

void unknown_value(const std::string& axis, const std::string& value, const Position& position,
                   const std::vector<std::string>& texts, Diagnostics& diagnostics) {
  // A number that is near in spelling is not near in value.
  const bool number = parse_quantity(value).has_value();
  std::string hint = number ? "" : suggestion(value, texts);
  if (number && texts.size() <= 8) hint = "one of: " + join(texts, ", ");
  if (hint.empty()) hint = "take one of its values";
  diagnostics.error("suite.reference", position,
                    "axis '" + axis + "' has no value '" + printable(value) + "'", hint);
}

}  // namespace

AxisIndex::AxisIndex(const SuiteCase& one) {
  for (const SuiteAxis& axis : one.matrix.axes) {
    if (axis.range)
      for (const Scalar& value : expand(*axis.range)) add(axis.name.value, value);
    for (const AxisValue& value : axis.values)
      if (value.map.empty() || axis.of_variants) add(axis.name.value, value.scalar);
  }
  for (const SuiteAxis& axis : one.matrix.axes)
    for (const AxisValue& value : axis.values)
      if (axis.name.value != "bind")
        for (const auto& [name, scalar] : value.map) add(name.value, scalar);
  // Points of 'include' bring values of their own.
  for (const Match& match : one.matrix.include)
    for (const auto& [name, scalars] : match.terms)
      if (has(name.value))
        for (const Scalar& scalar : scalars) add(name.value, scalar);
  names_.emplace_back("device");
  values_.push_back({{}, {}, true});
}

void AxisIndex::add(const std::string& name, const Scalar& value) {
  auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) {
    names_.push_back(name);
    values_.emplace_back();
    at = names_.end() - 1;
  }
  AxisValues& values = values_[static_cast<std::size_t>(at - names_.begin())];
  if (values.keys.insert(value_key(value)).second) values.texts.push_back(value.text);
}

const AxisIndex::AxisValues* AxisIndex::find(const std::string& name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  return at == names_.end() ? nullptr : &values_[static_cast<std::size_t>(at - names_.begin())];
}

bool AxisIndex::has(const std::string& name) const { return find(name) != nullptr; }

bool AxisIndex::check_name(const std::string& name, const Position& position,
                           Diagnostics& diagnostics) const {
  if (has(name)) return true;
  diagnostics.error("suite.reference", position, "'" + printable(name) + "' is not an axis of this case",
                    suggestion(name, names_, "only 'matrix' makes axes"));
  return false;
}

void AxisIndex::check(const Located<std::string>& name, const Scalar& value, Diagnostics& diagnostics) const {
  if (!check_name(name.value, name.position, diagnostics)) return;
  const AxisValues& values = *find(name.value);
  if (!values.open && !values.keys.contains(value_key(value)))
    unknown_value(name.value, value.text, value.position, values.texts, diagnostics);
}

void AxisIndex::check(const SelectorTerm& term, Diagnostics& diagnostics) const {
  if (!check_name(term.axis, term.position, diagnostics)) return;
  const AxisValues& values = *find(term.axis);
  if (values.open || term.kind == SelectorTerm::Kind::any) return;
  Scalar value;
  value.text = "~";
  if (term.kind == SelectorTerm::Kind::value) {
    value.kind = Scalar::Kind::text;
    value.text = term.text;
  }
  // A selector doesn't say whether its text is a number, a quantity or text; any of them may match.
  const std::string loose = value_key(value);
  value.quoted = true;
  const std::string exact = value_key(value);
  const bool listed = term.kind == SelectorTerm::Kind::value && contains(values.texts, term.text);
  if (!listed && !values.keys.contains(loose) && !values.keys.contains(exact))
    unknown_value(term.axis, value.text, term.value_position, values.texts, diagnostics);
}

}  // namespace assay::suite
