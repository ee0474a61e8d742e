// SPDX-License-Identifier: Apache-2.0
#include "model/schema.hpp"

#include <string>

namespace assay::model {

Json or_null(Json schema) {
  if (schema.contains("type") && schema["type"].is_string() && !schema.contains("enum")) {
    schema["type"] = Json::array({schema["type"], "null"});
    return schema;
  }
  return {{"anyOf", Json::array({std::move(schema), {{"type", "null"}}})}};
}

Json one_of_words(std::span<const std::string_view> words) {
  Json schema = {{"type", "string"}, {"enum", Json::array()}};
  for (const std::string_view word : words) schema["enum"].push_back(word);
  return schema;
}

namespace detail {
namespace {

Json schema_of_one(const SchemaMember& one, void* example, Json& definitions) {
  const auto is = [&](unsigned trait) { return (one.traits & trait) != 0; };
  bool is_nullable = is(kNullIfEmpty | kOrNull);
  Json schema = Json::object();
  if (!one.words.empty()) {
    schema = one_of_words(one.words);
  } else if (one.is_json) {
    if (static_cast<const Json*>(one.at(example))->is_object()) schema["type"] = "object";
    if (is(kObjectOrNull)) schema["type"] = Json::array({"object", "null"});
    if (is(kScalar)) schema["type"] = Json::array({"number", "string", "null"});
  } else {
    schema = one.schema(definitions);
    is_nullable = is_nullable || (one.is_optional && !is(kNeverNull | kLeftOutIfEmpty));
  }
  if (is_nullable) schema = or_null(std::move(schema));
  if (*one.text != '\0') schema["description"] = one.text;
  return schema;
}

}  // namespace

Json schema_of_members(void* example, std::span<const SchemaMember> members, Json& definitions) {
  Json schema = schema_of_type("object");
  schema["required"] = Json::array();
  schema["properties"] = Json::object();
  for (const SchemaMember& one : members) {
    if ((one.traits & kMayBeAbsent) == 0) schema["required"].push_back(one.name);
    schema["properties"][one.name] = schema_of_one(one, example, definitions);
  }
  return schema;
}

Json schema_of_type(const char* name) { return {{"type", name}}; }

Json schema_of_type(const char* name, const char* key, Json value) {
  return {{"type", name}, {key, std::move(value)}};
}

Json define(const char* name, Json schema, Json& definitions) {
  definitions[name] = std::move(schema);
  return {{"$ref", std::string("#/definitions/") + name}};
}

}  // namespace detail
}  // namespace assay::model
