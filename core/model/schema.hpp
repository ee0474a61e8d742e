// SPDX-License-Identifier: Apache-2.0
//
// The JSON Schema (draft-07) of a struct with a table (field.hpp): its keys in their order, what each may be, and its note.
#pragma once

#include "model/field_json.hpp"
#include "model/vocabulary.hpp"

#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace assay::model {

// A struct that stands in `definitions`, by its name there: `constexpr const char* definition_of(const T*)`.
template <class T>
concept Defined = requires {
  definition_of(static_cast<const T*>(nullptr));
};

inline Json or_null(Json schema) {
  if (schema.contains("type") && schema["type"].is_string() && !schema.contains("enum")) {
    schema["type"] = Json::array({schema["type"], "null"});
    return schema;
  }
  return {{"anyOf", Json::array({std::move(schema), {{"type", "null"}}})}};
}

inline Json one_of_words(std::span<const std::string_view> words) {
  Json schema = {{"type", "string"}, {"enum", Json::array()}};
  for (const std::string_view word : words) schema["enum"].push_back(word);
  return schema;
}

// Collects definitions on its way.
template <class T>
[[nodiscard]] Json schema_of(Json& definitions);

template <class T, class One>
[[nodiscard]] Json schema_of_field(const One& one, const T& example, Json& definitions) {
  using MemberType = std::remove_cvref_t<decltype(one.of(example))>;
  Json schema = Json::object();
  bool is_nullable = one.is(kNullIfEmpty | kOrNull);
  if (!one.words.empty()) {
    schema = one_of_words(one.words);
  } else if constexpr (std::is_same_v<MemberType, Json>) {
    if (one.of(example).is_object()) schema["type"] = "object";
    if (one.is(kObjectOrNull)) schema["type"] = Json::array({"object", "null"});
    if (one.is(kScalar)) schema["type"] = Json::array({"number", "string", "null"});
  } else if constexpr (detail::kIsOptional<MemberType>) {
    schema = schema_of<typename MemberType::value_type>(definitions);
    is_nullable = is_nullable || !one.is(kNeverNull | kLeftOutIfEmpty);
  } else {
    schema = schema_of<MemberType>(definitions);
  }
  if (is_nullable) schema = or_null(std::move(schema));
  if (*one.text != '\0') schema["description"] = one.text;
  return schema;
}

template <class T>
Json schema_of(Json& definitions) {
  if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_unsigned_v<T>) {
    return {{"type", "integer"}, {"minimum", 0}};
  } else if constexpr (std::is_integral_v<T>) {
    return {{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", "number"}};
  } else if constexpr (Vocabulary<T>) {
    return one_of_words(words_of(T::other));
  } else if constexpr (std::is_same_v<T, std::string> || std::is_enum_v<T>) {
    return {{"type", "string"}};
  } else if constexpr (detail::kIsOptional<T>) {
    return or_null(schema_of<typename T::value_type>(definitions));
  } else if constexpr (detail::kIsPairs<T>) {
    return {{"type", "object"},
            {"additionalProperties", schema_of<typename T::value_type::second_type>(definitions)}};
  } else if constexpr (detail::kIsList<T>) {
    return {{"type", "array"}, {"items", schema_of<typename T::value_type>(definitions)}};
  } else {
    const T example{};
    Json schema = {{"type", "object"}, {"required", Json::array()}, {"properties", Json::object()}};
    const auto add = [&](const auto& one) {
      if (!one.is(kMayBeAbsent)) schema["required"].push_back(one.name);
      schema["properties"][one.name] = schema_of_field(one, example, definitions);
    };
    std::apply([&](const auto&... each) { (add(each), ...); }, detail::table<T>().all);
    if constexpr (Nullable<T>) schema = or_null(std::move(schema));
    if constexpr (Defined<T>) {
      const char* const name = definition_of(&example);
      definitions[name] = std::move(schema);
      return {{"$ref", std::string("#/definitions/") + name}};
    }
    return schema;
  }
}

}  // namespace assay::model
