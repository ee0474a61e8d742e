// SPDX-License-Identifier: Apache-2.0
#include "judge/selection.hpp"

#include "base/quantity.hpp"

#include <optional>

namespace assay::judge {
namespace {

// "1GiB" and "1024MiB" are one point.
bool same_text(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const std::optional<Quantity> x = parse_quantity(a), y = parse_quantity(b);
  return x && y && x->value == y->value && x->dimension == y->dimension;
}

// Whether a selector's text means a value in base units: 64MiB means 67108864.
bool means(const std::string& text, const Json& value) {
  if (value.is_string()) return same_text(value.get<std::string>(), text);
  if (value.is_boolean()) return text == (value.get<bool>() ? "true" : "false");
  if (!value.is_number()) return false;
  const std::string digits = value.dump();
  const std::optional<Quantity> quantity = parse_quantity(text);
  return digits == text ||
         (quantity && quantity->value == value.get<double>() && is_exact(digits, quantity->value));
}

}  // namespace

const plan::AxisPoint* point_of(const std::vector<plan::AxisPoint>& axes, const std::string& axis) {
  return find_in(axes, [&](const plan::AxisPoint& point) { return point.name == axis; });
}
const plan::AxisPoint* point_of(const CaseResult& result, const std::string& axis) {
  return point_of(result.planned->axes, axis);
}

bool sets(const plan::AxisPoint& bundle, const std::string& parameter) {
  return bundle.value.is_object() && bundle.value.contains(parameter);
}

const plan::AxisPoint* bundle_of(const CaseResult& result, const std::string& parameter) {
  return find_in(result.planned->axes, [&](const plan::AxisPoint& point) { return sets(point, parameter); });
}

bool matches(const CaseResult& result, const suite::SelectorTerm& term) {
  return matches(result.planned->axes, term);
}

bool matches(const std::vector<plan::AxisPoint>& axes, const suite::SelectorTerm& term) {
  const plan::AxisPoint* const point = point_of(axes, term.axis);
  const plan::AxisPoint* const bundle =
      point ? nullptr : find_in(axes, [&](const plan::AxisPoint& each) { return sets(each, term.axis); });
  if (!point && !bundle) return false;
  const Json& value = point ? point->value : bundle->value.at(term.axis);
  const bool unset = value.is_null() || (point && point->text == "~");
  switch (term.kind) {
    case suite::SelectorTerm::Kind::unset:
      return unset;
    case suite::SelectorTerm::Kind::any:
      return !unset;
    case suite::SelectorTerm::Kind::value:
      break;
  }
  return !unset && (point ? same_text(point->text, term.text) : means(term.text, value));
}

}  // namespace assay::judge
