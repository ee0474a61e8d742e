// SPDX-License-Identifier: Apache-2.0
#include "catalog/benchmark_reader.hpp"

#include "base/quantity.hpp"
#include "base/suggest.hpp"
#include "model/measure_keys.hpp"
#include "suite/key_table.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <set>

namespace assay::catalog {
namespace {

constexpr double kBeyondIntegers = 0x1p63;

Parameter read_parameter(const ObjectReader& reader) {
  Parameter parameter;
  parameter.name = reader.name("name");
  if (suite::is_reserved(parameter.name)) {
    reader.error("name", "is '" + parameter.name + "', a word that suites use for something else",
                 "choose another name");
  }
  parameter.type = static_cast<ParameterType>(reader.choice("type", kParameterTypes));
  parameter.unit = checked_unit(reader);
  const bool numeric = parameter.type == ParameterType::integer || parameter.type == ParameterType::number;
  if (!numeric && !parameter.unit.empty()) reader.error("unit", "belongs to numbers only");
  parameter.minimum = reader.number("minimum");
  parameter.maximum = reader.number("maximum");
  if (parameter.type == ParameterType::integer) {
    // What every integer of 64 bits keeps to is no limit, and as a double it is none of them.
    if (parameter.minimum && *parameter.minimum <= -kBeyondIntegers) parameter.minimum.reset();
    if (parameter.maximum && *parameter.maximum >= kBeyondIntegers) parameter.maximum.reset();
  }
  if (!numeric && (parameter.minimum || parameter.maximum)) {
    reader.error(parameter.minimum ? "minimum" : "maximum", "belongs to numbers only");
  }
  if (parameter.minimum && parameter.maximum && *parameter.minimum > *parameter.maximum) {
    reader.error("minimum", "is above the maximum");
  }
  parameter.values = reader.texts("values");
  if (!parameter.values.empty() && parameter.type != ParameterType::text)
    reader.error("values", "belongs to texts only");
  parameter.default_value = read_default(reader, parameter.type, parameter.values);
  if (numeric && parameter.default_value.is_number()) {
    const double value = parameter.default_value.get<double>();
    if ((parameter.minimum && value < *parameter.minimum) ||
        (parameter.maximum && value > *parameter.maximum)) {
      reader.error("default", "is outside of minimum and maximum");
    }
  }
  parameter.help = reader.text("help");
  reader.warn_of_misspellings();
  return parameter;
}

MetricDeclaration read_metric(const ObjectReader& reader) {
  static const std::vector<std::string> directions = {"higher", "lower", "none"};
  static const std::vector<std::string> kinds = {"rate", "duration", "value", "part"};
  MetricDeclaration metric;
  metric.name = reader.name("name");
  if (metric.name == "time")
    reader.error("name", "is 'time', which every benchmark has by itself", "leave it out");
  metric.unit = checked_unit(reader);
  if (metric.unit.empty()) metric.unit = "1";
  metric.direction = static_cast<Direction>(reader.choice("direction", directions));
  metric.kind = static_cast<MetricKind>(reader.choice("kind", kinds));
  if (metric.kind == MetricKind::part && metric.unit != "s")
    reader.error("unit", "of a part is not 's'", "a part of a sample is a time");
  metric.headline = reader.boolean("headline");
  metric.counting = reader.text("counting");
  metric.flow = reader.text("flow");
  metric.mechanism = reader.text("mechanism");
  metric.peak = reader.text("peak");
  metric.dimensions = reader.integer("dimensions", 0, 0);
  if (metric.dimensions > 2) reader.error("dimensions", "is above 2");
  metric.summary = reader.text("summary");
  reader.warn_of_misspellings();
  return metric;
}

CountRange read_bounds(const ObjectReader& parent, std::string_view key, int least) {
  if (!parent.has(key)) return {};
  const ObjectReader reader = parent.object(key);
  CountRange bounds{reader.integer("minimum", 1, least), reader.integer("maximum", 1, 0)};
  if (bounds.maximum != 0 && bounds.maximum < bounds.minimum) reader.error("maximum", "is below the minimum");
  reader.warn_of_misspellings();
  return bounds;
}

std::vector<std::pair<std::string, std::vector<std::string>>> read_conditions(const ObjectReader& parent) {
  std::vector<std::pair<std::string, std::vector<std::string>>> result;
  if (!parent.has("conditions")) return result;
  const ObjectReader reader = parent.object("conditions");
  for (const auto& item : reader.json().items()) {
    const std::string& key = item.key();
    const model::MeasureKey* known = model::find_measure_key(key);
    if (known == nullptr || !known->condition || known->words.empty()) continue;  // a later version's
    const std::vector<std::string> words = model::words_to_choose(*known);
    std::vector<std::string> values = reader.texts(key);
    for (const std::string& value : values) {
      if (std::find(words.begin(), words.end(), value) == words.end()) {
        reader.error(key, "has no value '" + value + "'", suggestion(value, words));
      }
    }
    result.emplace_back(key, std::move(values));
  }
  return result;
}

template <typename Item>
void check_unique(const ObjectReader& reader, std::string_view key, const std::vector<Item>& items) {
  std::set<std::string> seen;
  for (const Item& item : items) {
    if (!item.name.empty() && !seen.insert(item.name).second)
      reader.error(key, "has '" + item.name + "' twice");
  }
}

}  // namespace

std::string checked_unit(const ObjectReader& reader) {
  std::string unit = reader.text("unit");
  if (unit.empty() || unit == "1") return unit;
  const auto parsed = parse_unit(unit);
  if (!parsed) {
    reader.error("unit", "is '" + unit + "', which is not a unit",
                 "base units are B, s, FLOP, W, J, Hz, C, items and quotients");
  } else if (parsed->scale != 1) {
    reader.error("unit", "is '" + unit + "', which is not a base unit",
                 "write '" + base_unit(parsed->dimension) + "'");
  }
  return unit;
}

Json read_default(const ObjectReader& reader, ParameterType type, const std::vector<std::string>& values) {
  const Json* value = reader.find("default");
  if (value == nullptr) return {};
  const bool fits = (type == ParameterType::integer && value->is_number_integer()) ||
                    (type == ParameterType::number && value->is_number()) ||
                    (type == ParameterType::boolean && value->is_boolean()) ||
                    (type == ParameterType::text && value->is_string());
  if (!fits) {
    reader.error("default", "is not of type " + kParameterTypes[static_cast<std::size_t>(type)]);
    return {};
  }
  if (type == ParameterType::integer && !integer<std::int64_t>(*value)) {
    reader.error("default", "is " + value->dump() + ", and parameters hold integers of 64 bits with a sign",
                 "take 9223372036854775807 or less");
    return {};
  }
  if (type != ParameterType::text) return *value;
  std::string text = printable(value->get_ref<const std::string&>());
  if (!values.empty() && std::find(values.begin(), values.end(), text) == values.end()) {
    reader.error("default", "is '" + text + "', not one of: " + join(values, ", "));
  }
  return text;
}

Benchmark read_benchmark(const ObjectReader& reader) {
  Benchmark benchmark;
  benchmark.name = reader.name("name");
  benchmark.implements = reader.text("implements");
  benchmark.revision = reader.integer("revision", 1, 1);
  benchmark.summary = reader.text("summary");
  benchmark.doc = reader.text("doc");
  for (const ObjectReader& item : reader.objects("parameters"))
    benchmark.parameters.push_back(read_parameter(item));
  for (const ObjectReader& item : reader.objects("metrics")) benchmark.metrics.push_back(read_metric(item));
  for (const ObjectReader& item : reader.objects("facts")) {
    benchmark.facts.push_back({item.name("name"), item.text("summary")});
    item.warn_of_misspellings();
  }
  benchmark.checks = reader.texts("checks");
  benchmark.conditions = read_conditions(reader);
  benchmark.ranks = read_bounds(reader, "ranks", 1);
  benchmark.devices = read_bounds(reader, "devices", 0);
  benchmark.own_process = reader.boolean("own_process");
  check_unique(reader, "parameters", benchmark.parameters);
  check_unique(reader, "metrics", benchmark.metrics);
  check_unique(reader, "facts", benchmark.facts);
  reader.warn_of_misspellings();
  return benchmark;
}

}  // namespace assay::catalog
