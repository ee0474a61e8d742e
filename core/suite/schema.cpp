// SPDX-License-Identifier: Apache-2.0
#include "suite/schema.hpp"

#include "suite/external.hpp"
#include "suite/key_table.hpp"

#include <cmath>
#include <string_view>

namespace assay::suite {

namespace {

constexpr const char* kIdentifier = "^[A-Za-z_][A-Za-z0-9_]*$";
constexpr const char* kIdOfCase = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$";
constexpr const char* kAxisValue = "#/definitions/value";

Json reference(std::string_view definition) { return {{"$ref", "#/definitions/" + std::string(definition)}}; }
Json pattern(const char* text) { return {{"type", "string"}, {"pattern", text}}; }
Json list_of(Json items) { return {{"type", "array"}, {"minItems", 1}, {"items", std::move(items)}}; }
Json one_or_list(const Json& item) { return {{"anyOf", Json::array({item, list_of(item)})}}; }
Json map_of(Json value) { return {{"type", "object"}, {"additionalProperties", std::move(value)}}; }
Json number(double value) {
  if (std::nearbyint(value) == value && std::abs(value) < 9e18) return static_cast<std::int64_t>(value);
  return value;
}

Json count(const Key& key) {
  Json schema = {{"type", "integer"}, {"minimum", number(key.minimum)}};
  if (key.maximum < 9e18) schema["maximum"] = number(key.maximum);
  return schema;
}

Json choice(const Key& key) { return {{"type", "string"}, {"enum", key.values}}; }

// What YAML makes of the value; the finer rules are the parser's.
Json form_schema(const Key& key) {
  switch (key.form) {
    case Form::requirement:
    case Form::policy:
    case Form::measure:
    case Form::matrix:
    case Form::expected:
    case Form::verdict:
    case Form::exit:
    case Form::verify:
      return reference(definition_of(*scope_of(key.form)));
    case Form::version:
      return {{"const", 1}};
    case Form::name:
      return pattern(key.place == KeyScope::suite ? "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$" : kIdOfCase);
    case Form::text:
    case Form::advice:
      return {{"type", "string"}, {"minLength", 1}};
    case Form::url:
      return {{"type", "string"}};
    case Form::files:
      return {{"anyOf",
               Json::array({Json{{"type", "string"}, {"minLength", 1}},
                            Json{{"type", "array"}, {"items", {{"type", "string"}, {"minLength", 1}}}}})}};
    case Form::benchmark:
      return reference("benchmark");
    case Form::backends:
      return one_or_list(pattern(kIdentifier));
    case Form::libraries:
      return one_or_list(pattern("^[A-Za-z0-9_+-][A-Za-z0-9_.+-]*$"));
    case Form::flag:
      return {{"type", "boolean"}};
    case Form::version_text:
      return {{"anyOf", Json::array({Json{{"type", "number"}, {"minimum", 0}},
                                     pattern("^(>= *)?[0-9]+(\\.[0-9]+)*$")})}};
    case Form::count:
      return count(key);
    case Form::device_count:
      return {{"anyOf", Json::array({Json{{"type", "integer"}, {"minimum", 1}, {"maximum", 4096}},
                                     pattern("^(>= *)?[1-9][0-9]*$")})}};
    case Form::memory:
      return pattern("^[0-9.eE+]+ ?([KMGTP]i|[kMGTPE])?B$");
    case Form::duration:
      return pattern("^[0-9.eE+-]+ ?(h|min|s|ms|us|µs|μs|ns)$");
    case Form::percent:
      return pattern("^[0-9.eE+-]+ ?%$");
    case Form::choice:
      return choice(key);
    case Form::devices:
      return {{"anyOf",
               Json::array({choice(key), count(key), list_of(pattern("^[A-Za-z_][A-Za-z0-9_]*:[0-9]+$"))})}};
    case Form::bind:
      return {{"anyOf", Json::array({choice(key), reference("bind")})}};
    case Form::node:
      return pattern("^node:[0-9]+$");
    case Form::parameters:
      return map_of({{"$ref", kAxisValue}});
    case Form::environment:
      return map_of({{"type", Json::array({"string", "number", "boolean", "null"})}});
    case Form::points:
      return list_of(reference("match"));
    case Form::match:
      return reference("match");
    case Form::point:
      return map_of({{"$ref", "#/definitions/value_or_unset"}});
    case Form::scalar:
      return {{"type", Json::array({"number", "string"})}};
    case Form::factor:
      return {{"type", "number"}, {"exclusiveMinimum", 1}};
    case Form::relation:
      return {{"type", "string"}, {"minLength", 1}, {"maxLength", 4096}};
    case Form::let:
    case Form::expressions:
      return {{"type", "object"},
              {"propertyNames", {{"pattern", kIdentifier}}},
              {"additionalProperties", {{"type", Json::array({"string", "number"})}}}};
    case Form::expectations:
      return {
          {"type", "array"},
          {"items",
           {{"anyOf", Json::array({Json{{"type", "string"}, {"minLength", 1}}, reference("expectation")})}}}};
    case Form::arguments:
      return list_of({{"type", Json::array({"string", "number", "boolean"})}});
    case Form::texts:
      return one_or_list({{"type", "string"}, {"minLength", 1}});
    case Form::labels:
      return {{"type", "object"},
              {"propertyNames", {{"pattern", kIdentifier}}},
              {"additionalProperties", {{"type", "string"}, {"minLength", 1}}}};
    case Form::statuses:
      return one_or_list(count(key));
    case Form::metrics:
      return {{"type", "object"},
              {"minProperties", 1},
              {"propertyNames", {{"pattern", kIdentifier}}},
              {"additionalProperties", reference("metric")}};
    case Form::cases:
      return list_of(reference("case"));
    case Form::findings:
      return {{"type", "array"}, {"items", reference("finding")}};
    case Form::defaults:
      return reference("defaults");
    case Form::variants:
      return {{"type", "object"},
              {"minProperties", 2},
              {"propertyNames", {{"pattern", kIdOfCase}}},
              {"additionalProperties", reference("variant")}};
    case Form::tables:
      return {{"type", "array"}, {"items", reference("table")}};
    case Form::rows_of_table:
      return one_or_list({{"anyOf", Json::array({pattern(kIdOfCase), reference("table_rows")})}});
    case Form::row_of_table:
      return {{"anyOf", Json::array({pattern(kIdOfCase), reference("table_rows")})}};
  }
  return Json::object();
}

Json property(const Key& key) {
  // Draft-07 ignores what stands beside a $ref, so a description needs allOf.
  Json schema = form_schema(key);
  if (schema.contains("$ref")) schema = {{"allOf", Json::array({schema})}};
  std::string description(key.doc);
  if (!key.fallback.empty()) description += " Default: " + std::string(key.fallback) + ".";
  schema["description"] = description;
  const bool plain = key.form == Form::duration || key.form == Form::percent || key.form == Form::memory ||
                     key.form == Form::relation || key.form == Form::node;
  if (plain) schema["examples"] = Json::array({std::string(key.example)});
  return schema;
}

Json object_of(KeyScope place, bool partial = false) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Key* key : keys_of(place)) {
    if (partial && key->name == "id") continue;
    properties[std::string(key->name)] = property(*key);
    if (key->required && !partial) required.push_back(std::string(key->name));
  }
  Json schema = {{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Json axis_of(const Json& value) { return {{"anyOf", Json::array({list_of(value), reference("range")})}}; }

Json matrix_schema() {
  Json schema = object_of(KeyScope::matrix);
  for (const Key& key : keys()) {
    if (!key.axis) continue;
    Json value = form_schema(key);
    Json axis =
        key.form == Form::choice || key.form == Form::bind ? list_of(std::move(value)) : axis_of(value);
    axis["description"] = std::string(key.doc);
    schema["properties"][std::string(key.name)] = std::move(axis);
  }
  schema["patternProperties"] = {
      {"^env\\.[A-Za-z_][A-Za-z0-9_]*$",
       {{"anyOf", Json::array({list_of({{"type", Json::array({"string", "number", "boolean", "null"})}}),
                               reference("range")})},
        {"description", "An environment variable; ~ removes it."}}}};
  schema["additionalProperties"] =
      axis_of({{"anyOf", Json::array({Json{{"$ref", kAxisValue}}, reference("bundle")})}});
  schema["minProperties"] = 1;
  return schema;
}

// A benchmark's parameters, for cases that use it, whatever backend they pin.
Json benchmark_rule(const BenchmarkSchema& benchmark) {
  Json with = Json::object();
  Json axes = Json::object();
  // A case of it makes its own parameters.
  const bool open = is_of_commands(benchmark.name);
  for (const auto& [name, value] : benchmark.parameters) {
    if (open) break;
    with[name] = value;
    axes[name] = axis_of(value);
    if (value.contains("description")) axes[name]["description"] = value["description"];
  }
  return {{"if",
           {{"required", Json::array({"uses"})},
            {"properties", {{"uses", {{"pattern", "^" + benchmark.name + "(@.*)?$"}}}}}}},
          {"then",
           {{"properties",
             {{"with", {{"properties", with}, {"additionalProperties", open}}},
              {"matrix", {{"properties", axes}}}}}}}};
}

Json benchmark_names(const std::vector<BenchmarkSchema>& benchmarks) {
  const Json pinned = {
      {"type", "string"},
      {"pattern", "^[A-Za-z_][A-Za-z0-9_]*@[A-Za-z_][A-Za-z0-9_]*(:[A-Za-z0-9_.-]+)?$"},
      {"description", "A benchmark of one backend, or of one plugin: gemm@cuda:com.acme.fastgemm."}};
  Json choices = Json::array();
  for (const BenchmarkSchema& benchmark : benchmarks)
    choices.push_back({{"const", benchmark.name}, {"description", benchmark.summary}});
  if (benchmarks.empty()) choices.push_back(pattern(kIdentifier));
  choices.push_back(pinned);
  return {{"anyOf", std::move(choices)}};
}

}  // namespace

Json suite_schema(const std::vector<BenchmarkSchema>& benchmarks) {
  const Json scalar = {{"type", Json::array({"string", "number", "boolean"})}};
  const Json unset = {{"type", Json::array({"string", "number", "boolean", "null"})}};
  Json definitions = Json::object();
  definitions["value"] = scalar;
  definitions["value_or_unset"] = unset;
  definitions["match"] = {
      {"type", "object"}, {"minProperties", 1}, {"additionalProperties", one_or_list(unset)}};
  definitions["bundle"] = {{"type", "object"},
                           {"minProperties", 1},
                           {"additionalProperties", unset},
                           {"description", "Several parameters that are set together."}};
  definitions["benchmark"] = benchmark_names(benchmarks);
  for (const KeyScope place :
       {KeyScope::requirement, KeyScope::policy, KeyScope::measure, KeyScope::variant, KeyScope::range,
        KeyScope::bind, KeyScope::expectation, KeyScope::exit, KeyScope::verify, KeyScope::metric,
        KeyScope::finding, KeyScope::expected, KeyScope::verdict, KeyScope::table, KeyScope::table_rows})
    definitions[std::string(definition_of(place))] = object_of(place);
  definitions["range"]["oneOf"] =
      Json::array({Json{{"required", Json::array({"factor"})}}, Json{{"required", Json::array({"step"})}}});
  definitions["matrix"] = matrix_schema();
  definitions["case"] = object_of(KeyScope::one_case);
  definitions["defaults"] = object_of(KeyScope::one_case, true);
  // 'uses' may come from 'defaults', which a schema can't follow.
  definitions["case"]["required"] = Json::array({"id"});
  Json rules = Json::array();
  for (const BenchmarkSchema& benchmark : benchmarks) rules.push_back(benchmark_rule(benchmark));
  if (!rules.empty()) definitions["case"]["allOf"] = std::move(rules);

  Json schema = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "Assay suite"},
      {"description", "Requirements, cases, expectations, findings and tables, as 'assay run' reads them."}};
  schema.update(object_of(KeyScope::suite));
  // An included file may leave out what the including one says, and a suite may take all its cases from
  // includes.
  schema.erase("required");
  schema["anyOf"] = Json::array(
      {Json{{"required", Json::array({"cases"})}}, Json{{"required", Json::array({"include"})}},
       Json{{"required", Json::array({"defaults"})}}, Json{{"required", Json::array({"derive"})}}});
  schema["definitions"] = std::move(definitions);
  return schema;
}

}  // namespace assay::suite
