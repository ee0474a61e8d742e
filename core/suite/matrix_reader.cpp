// SPDX-License-Identifier: Apache-2.0
#include "suite/case_reader.hpp"
#include "suite/characters.hpp"
#include "suite/range.hpp"
#include "suite/scalar.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace assay::suite {

namespace {

std::string shown(const Node& node) { return describe(node); }

bool is_numeric_word(const std::string& axis) {
  const Key* key = find_key(KeyScope::one_case, axis);
  if (!key || !key->axis) key = find_key(KeyScope::measure, axis);
  return !key || !key->axis || key->form == Form::count || key->form == Form::devices;
}

bool read_range(const MapFields& fields, const Node& node, SuiteAxis& axis) {
  const bool looks_like_one = std::any_of(node.entries.begin(), node.entries.end(), [](const auto& entry) {
    return find_key(KeyScope::range, entry.first->text);
  });
  if (!looks_like_one) {
    fields.error("suite.type", node.position, "axis '" + axis.name.value + "' is a map that is not a range",
                 "write a list [a, b], a range {from: 1, to: 8, factor: 2}, or a list of maps");
    return false;
  }
  if (!is_numeric_word(axis.name.value)) {
    fields.error("suite.range", node.position, "axis '" + axis.name.value + "' can't be a range",
                 "write a list of its values");
    return false;
  }
  Range range;
  bool good = true;
  const std::size_t errors = fields.diagnostics().error_count();
  (void)fields.read_map(node, range);
  const Node* factor = node.find("factor");
  const Node* step = node.find("step");
  if (factor && step)
    fields.error("suite.range", node.position, "a range has either 'factor' or 'step'", "remove one of them");
  else if (!factor && !step)
    fields.error("suite.missing-key", node.position, "a range needs 'factor' or 'step'",
                 "factor multiplies: 1, 2, 4; step adds: 1, 2, 3");
  good = fields.diagnostics().error_count() == errors;
  if (good) check_range(range, fields.diagnostics());
  axis.range = range;
  return good && fields.diagnostics().error_count() == errors;
}

// A map among the values of an axis: parameters that are set together, or nodes to bind to.
bool read_bundle(const MapFields& fields, const Node& node, const std::string& axis, AxisValue& value) {
  if (axis == "bind") {
    if (!fields.bind(*find_key(KeyScope::one_case, "bind"), node)) return false;
    for (const auto& [name, inner] : node.entries) {
      const auto scalar = read_scalar(*inner, ScalarUse::typed, fields.diagnostics());
      if (scalar) value.map.emplace_back(Located<std::string>{name->text, name->position}, *scalar);
    }
    return true;
  }
  if (node.entries.empty()) {
    fields.error("suite.empty", node.position, "an empty map sets nothing", "write {parameter: value}");
    return false;
  }
  for (const auto& [name, inner] : node.entries) {
    if (!fields.axis_name(*name)) continue;
    if (const auto scalar = fields.axis_value(name->text, *inner))
      value.map.emplace_back(Located<std::string>{name->text, name->position}, *scalar);
  }
  return !value.map.empty();
}

std::string key_of(const AxisValue& value) {
  if (value.map.empty()) return value_key(value.scalar);
  std::set<std::string> parts;  // the order of keys makes no difference
  for (const auto& [name, scalar] : value.map) parts.insert(name.value + "=" + value_key(scalar));
  return "map " + join({parts.begin(), parts.end()}, ",");
}

// Where the axis of the variants is, or would be: behind all others.
std::vector<SuiteAxis>::iterator variants_in(Matrix& matrix) {
  return std::find_if(matrix.axes.begin(), matrix.axes.end(),
                      [](const SuiteAxis& axis) { return axis.of_variants; });
}

}  // namespace

// Only `exclude` takes lists: an included point is one.
void read_points(const MapFields& fields, const Key& key, const Node& node, Matrix& out) {
  const bool lists = key.name == "exclude";
  std::vector<Match>& points = lists ? out.exclude : out.include;
  points.clear();
  if (node.kind != Node::Kind::list) return fields.wrong(key, node);
  if (node.items.empty())
    fields.error("suite.empty", node.position, "'" + std::string(key.name) + "' is an empty list",
                 "leave the key out");
  for (const NodePtr& item : node.items) {
    Match match;
    match.position = item->position;
    const std::size_t errors = fields.diagnostics().error_count();
    match.terms = fields.terms(key, *item, lists);
    if (errors == fields.diagnostics().error_count()) points.push_back(std::move(match));
  }
}

bool read_axis(const MapFields& fields, const Node& node, SuiteAxis& axis) {
  axis.values.clear();
  axis.range.reset();
  const std::string& name = axis.name.value;
  if (node.kind == Node::Kind::map) return read_range(fields, node, axis);
  if (node.kind != Node::Kind::list) {
    fields.error(
        "suite.type", node.position, "axis '" + name + "' must be a list or a range, not " + shown(node),
        node.kind == Node::Kind::scalar ? "write [" + printable(node.text) + "], or put it under 'with'"
                                        : "write [a, b]");
    return false;
  }
  if (node.items.empty()) {
    fields.error("suite.empty", node.position, "axis '" + name + "' has no values",
                 "add values, or remove the axis");
    return false;
  }
  std::set<std::string> seen;
  bool maps = false, scalars = false;
  for (const NodePtr& item : node.items) {
    AxisValue value;
    if (item->kind == Node::Kind::map) {
      maps = true;
      if (!read_bundle(fields, *item, name, value)) continue;
    } else {
      scalars = true;
      const auto scalar = fields.axis_value(name, *item);
      if (!scalar) continue;
      value.scalar = *scalar;
    }
    value.scalar.position = item->position;
    if (!seen.insert(key_of(value)).second)
      fields.error(
          "suite.duplicate", item->position,
          "axis '" + name + "' has " +
              (item->kind == Node::Kind::map ? "this map" : "'" + printable(value.scalar.text) + "'") +
              " twice",
          "keep one of them");
    else
      axis.values.push_back(std::move(value));
  }
  if (maps && scalars && name != "bind")
    fields.error("suite.type", node.position, "axis '" + name + "' mixes maps and single values",
                 "write all of them as maps, or none");
  return !axis.values.empty();
}

void read_matrix(const MapFields& fields, const Key& matrix_key, const Node& node, SuiteCase& out) {
  if (node.kind != Node::Kind::map) return fields.wrong(matrix_key, node);
  Matrix& matrix = out.matrix;
  bool axes = false;
  for (const auto& [name, value] : node.entries) {
    if (const Key* key = find_key(KeyScope::matrix, name->text)) {
      fields.read_key(*key, *value, matrix);
      continue;
    }
    axes = true;
    SuiteAxis axis;
    axis.name = {name->text, name->position};
    const std::size_t errors = fields.diagnostics().error_count();
    const bool good = fields.axis_name(*name) && read_axis(fields, *value, axis);
    if (errors != fields.diagnostics().error_count()) matrix.broken = true;
    if (!good) continue;
    const auto old = std::find_if(matrix.axes.begin(), matrix.axes.end(), [&](const SuiteAxis& other) {
      return other.name.value == axis.name.value;
    });
    if (old == matrix.axes.end() || old->of_variants)
      matrix.axes.insert(variants_in(matrix), std::move(axis));
    else
      *old = std::move(axis);
  }
  if (!axes) {
    matrix.broken = true;
    fields.error("suite.empty", node.position, "the matrix has no axis",
                 "add one, like dtype: [fp32, bf16], or remove 'matrix'");
  }
}

namespace {

AxisValue value_of(const Node& name, const Variant& variant) {
  AxisValue value;
  value.scalar.kind = Scalar::Kind::text;
  value.scalar.text = name.text;
  value.scalar.position = name.position;
  value.map = variant.with;
  for (const auto& [variable, scalar] : variant.env)
    value.map.emplace_back(Located<std::string>{"env." + variable.value, variable.position}, scalar);
  value.bind = variant.bind;
  value.devices = variant.devices;
  value.plugin = variant.plugin;
  return value;
}

// As an identifier of a case shows it.
bool is_name_of_variant(const MapFields& fields, const Node& name) {
  const bool fits = !name.text.empty() && is_letter(name.text.front()) &&
                    std::all_of(name.text.begin(), name.text.end(),
                                [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
  if (!fits)
    fields.error("suite.value", name.position, describe(name) + " can't be the name of a variant",
                 "a name begins with a letter and has letters, digits, '_' and '-'");
  return fits;
}

}  // namespace

void read_variants(const MapFields& fields, const Key& key, const Node& node, SuiteCase& out) {
  if (node.kind != Node::Kind::map) return fields.wrong(key, node);
  SuiteAxis axis;
  axis.name = {kVariant, node.position};
  axis.of_variants = true;
  const std::size_t errors = fields.diagnostics().error_count();
  for (const auto& [name, value] : node.entries) {
    if (!is_name_of_variant(fields, *name)) continue;
    if (value->kind == Node::Kind::null) {
      fields.error("suite.type", name->position, "variant '" + name->text + "' has no value",
                   "write {} for the case as it stands");
      continue;
    }
    Variant variant;
    if (fields.read_map(*value, variant)) axis.values.push_back(value_of(*name, variant));
  }
  if (node.entries.size() < 2)
    fields.error("suite.empty", node.position, "one variant has nothing to be compared with",
                 "name two or more, like " + std::string(key.example));
  Matrix& matrix = out.matrix;
  if (const auto old = variants_in(matrix); old != matrix.axes.end()) matrix.axes.erase(old);
  if (errors == fields.diagnostics().error_count())
    matrix.axes.push_back(std::move(axis));
  else
    matrix.broken = true;
}

std::vector<Located<std::string>> names_set_by(const AxisValue& value) {
  std::vector<Located<std::string>> names;
  for (const auto& [name, scalar] : value.map) names.push_back(name);
  if (value.bind) names.push_back({"bind", value.bind->position});
  if (value.devices.kind != DeviceChoice::Kind::unset) names.push_back({"devices", value.devices.position});
  if (!value.plugin.value.empty()) names.push_back({"plugin", value.plugin.position});
  return names;
}

}  // namespace assay::suite
