// SPDX-License-Identifier: Apache-2.0
#include "catalog/benchmark_schemas.hpp"

#include "base/quantity.hpp"

#include <algorithm>

namespace assay::catalog {
namespace {

// Widens a parameter to what another provider's takes as well.
void widen(Parameter& known, const Parameter& other) {
  if (!known.minimum || !other.minimum || *other.minimum < *known.minimum) known.minimum = other.minimum;
  if (!known.maximum || !other.maximum || *other.maximum > *known.maximum) known.maximum = other.maximum;
  if (other.values.empty()) known.values.clear();
  if (known.values.empty()) return;
  for (const std::string& value : other.values) {
    if (std::find(known.values.begin(), known.values.end(), value) == known.values.end())
      known.values.push_back(value);
  }
}

Json number_schema(const Parameter& parameter) {
  const bool integer = parameter.type == ParameterType::integer;
  Json number = {{"type", integer ? "integer" : "number"}};
  const auto bound = [&](double value) {
    return integer ? Json(static_cast<std::int64_t>(value)) : Json(value);
  };
  if (parameter.minimum) number["minimum"] = bound(*parameter.minimum);
  if (parameter.maximum) number["maximum"] = bound(*parameter.maximum);
  const Dimension dimension = parse_unit(parameter.unit).value_or(Unit{}).dimension;
  if (dimension.none()) return number;
  Json quantity = {{"type", "string"}, {"pattern", "^[-+]?[0-9.]+([eE][-+]?[0-9]+)? ?[A-Za-zµ].*$"}};
  if (dimension == Dimension{.data = 1})
    return {{"anyOf", Json::array({std::move(number), std::move(quantity)})}};
  return quantity;
}

Json value_schema(const Parameter& parameter) {
  Json schema;
  switch (parameter.type) {
    case ParameterType::boolean:
      schema = {{"type", "boolean"}};
      break;
    case ParameterType::text:
      schema = parameter.values.empty() ? Json{{"type", Json::array({"string", "number", "boolean"})}}
                                        : Json{{"enum", parameter.values}};
      break;
    case ParameterType::integer:
    case ParameterType::number:
      schema = number_schema(parameter);
      break;
  }
  std::string description = parameter.help;
  if (!parameter.unit.empty() && parameter.unit != "1") {
    description += (description.empty() ? "" : "; ") + ("in " + parameter.unit);
  }
  if (!description.empty()) schema["description"] = description;
  if (!parameter.default_value.is_null()) schema["default"] = parameter.default_value;
  return schema;
}

}  // namespace

std::vector<suite::BenchmarkSchema> benchmark_schemas(const Catalog& catalog) {
  std::vector<suite::BenchmarkSchema> schemas;
  for (const std::string& name : catalog.benchmark_names()) {
    std::vector<Parameter> parameters;
    std::string summary;
    for (const Manifest& manifest : catalog.manifests()) {
      const Benchmark* benchmark = manifest.benchmark(name);
      if (benchmark == nullptr) continue;
      if (summary.empty()) summary = benchmark->summary;
      for (const Parameter& parameter : benchmark->parameters) {
        const auto known = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const Parameter& p) { return p.name == parameter.name; });
        if (known == parameters.end()) {
          parameters.push_back(parameter);
        } else if (known->type == parameter.type) {
          widen(*known, parameter);
        }
      }
    }
    suite::BenchmarkSchema schema{name, summary, {}};
    for (const Parameter& parameter : parameters)
      schema.parameters.emplace_back(parameter.name, value_schema(parameter));
    schemas.push_back(std::move(schema));
  }
  return schemas;
}

}  // namespace assay::catalog
