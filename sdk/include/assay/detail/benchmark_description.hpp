// SPDX-License-Identifier: Apache-2.0
//
// What a description collects, and how it becomes the manifest's JSON. docs/reference/manifest.md has the
// keys.
#pragma once

#include <assay/detail/json.hpp>
#include <assay/errors.hpp>

#include <cmath>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay::detail {

struct ParameterDescription {
  std::string name, type, unit, help;
  std::string default_json, minimum_json, maximum_json;  // "" if there is none
  std::vector<std::string> values;
  bool required = false;  // whatever default_json is
};

struct MetricDescription {
  std::string name, unit, kind, direction;
  bool headline = false;
  std::string counting, flow, mechanism, peak, summary;
  int dimensions = 0;
};

struct BenchmarkDescription {
  std::string name, implements, summary, doc;
  int revision = 1;
  std::deque<ParameterDescription> parameters;  // a deque: builders keep references
  std::deque<MetricDescription> metrics;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> checks;
  std::vector<std::pair<std::string, std::vector<std::string>>> conditions;
  int minimum_ranks = 1, maximum_ranks = 1;
  int minimum_devices = 1, maximum_devices = 1;
  bool own_process = false;
};

// JSON has no such number; the parameter that has one is refused by name.
inline constexpr const char* kNotFinite = "not finite";

template <class Value>
std::string json_of(const Value& value) {
  if constexpr (std::is_floating_point_v<Value>) {
    if (!std::isfinite(value)) return kNotFinite;
  }
  JsonWriter json;
  json.value(value);
  return json.text();
}

// What of a description makes no sense, or "": told when the manifest is made, where its author sees it.
inline std::string mistake_of(const ParameterDescription& parameter) {
  if (parameter.default_json.empty() && parameter.values.empty())
    return "it is an enumeration and lacks choices()";
  if (parameter.default_json.empty() && !parameter.required)
    return "its default is none of its choices(); add it to them, or call required()";
  if (parameter.default_json == kNotFinite && !parameter.required)
    return "its default is not finite; give it another one, or call required()";
  if (parameter.minimum_json == kNotFinite || parameter.maximum_json == kNotFinite)
    return "a limit of its range is not finite; at_least() takes a lower one alone";
  return {};
}

template <class Names>
void write_names(JsonWriter& json, const char* key, const Names& names) {
  json.key(key).begin_array();
  for (const auto& name : names) json.value(name);
  json.end_array();
}

inline void write_bounds(JsonWriter& json, const char* key, int minimum, int maximum) {
  json.key(key).begin_object().member("minimum", minimum).member("maximum", maximum).end_object();
}

// Parameters of benchmarks and options of reporters have one form.
inline void write_json(JsonWriter& json, const ParameterDescription& parameter) {
  if (const std::string mistake = mistake_of(parameter); !mistake.empty())
    throw Failure("parameter '" + parameter.name + "' cannot be described: " + mistake);
  json.begin_object().member("name", parameter.name).member("type", parameter.type);
  if (!parameter.unit.empty()) json.member("unit", parameter.unit);
  if (!parameter.required) json.key("default").raw(parameter.default_json);
  if (!parameter.minimum_json.empty()) json.key("minimum").raw(parameter.minimum_json);
  if (!parameter.maximum_json.empty()) json.key("maximum").raw(parameter.maximum_json);
  if (!parameter.values.empty()) write_names(json, "values", parameter.values);
  json.member("help", parameter.help).end_object();
}

inline void write_json(JsonWriter& json, const MetricDescription& metric, bool headline) {
  json.begin_object()
      .member("name", metric.name)
      .member("unit", metric.unit)
      .member("direction", metric.direction)
      .member("kind", metric.kind)
      .member("headline", headline)
      .member("counting", metric.counting)
      .member("flow", metric.flow)
      .member("mechanism", metric.mechanism)
      .member("peak", metric.peak)
      .member("dimensions", metric.dimensions)
      .member("summary", metric.summary)
      .end_object();
}

inline void write_json(JsonWriter& json, const BenchmarkDescription& is) {
  json.begin_object()
      .member("name", is.name)
      .member("implements", is.implements)
      .member("revision", is.revision)
      .member("summary", is.summary)
      .member("doc", is.doc);
  json.key("parameters").begin_array();
  for (const auto& parameter : is.parameters) write_json(json, parameter);
  json.end_array();

  // Something must lead the tables: without a headline it is the first rate or duration.
  bool has_headline = false;
  for (const auto& metric : is.metrics) has_headline = has_headline || metric.headline;
  json.key("metrics").begin_array();
  for (const auto& metric : is.metrics) {
    const bool can_lead = metric.kind == "rate" || metric.kind == "duration";
    const bool leads = metric.headline || (!has_headline && can_lead);
    has_headline = has_headline || leads;
    write_json(json, metric, leads);
  }
  json.end_array();

  json.key("facts").begin_array();
  for (const auto& [name, summary] : is.facts) {
    json.begin_object().member("name", name).member("summary", summary).end_object();
  }
  json.end_array();
  write_names(json, "checks", is.checks);
  json.key("conditions").begin_object();
  for (const auto& [condition, values] : is.conditions) write_names(json, condition.c_str(), values);
  json.end_object();
  write_bounds(json, "ranks", is.minimum_ranks, is.maximum_ranks);
  write_bounds(json, "devices", is.minimum_devices, is.maximum_devices);
  if (is.own_process) json.member("own_process", true);
  json.end_object();
}

}  // namespace assay::detail
