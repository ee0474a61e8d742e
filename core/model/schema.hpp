// SPDX-License-Identifier: Apache-2.0
//
// The JSON Schema (draft-07) of a struct with a table (field.hpp): its keys in their order, what each may be, and its note.
#pragma once

#include "model/field_json.hpp"
#include "model/vocabulary.hpp"

#include <array>
#include <cstddef>
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

[[nodiscard]] Json or_null(Json schema);
[[nodiscard]] Json one_of_words(std::span<const std::string_view> words);

namespace detail {

// A member as the schema of all structs sees it: without its type, so that the code is compiled once.
struct SchemaMember {
  const char* name;
  unsigned traits;
  const char* text;
  std::span<const std::string_view> words;
  void* (*at)(void* owner);
  bool is_json, is_optional;
  Json (*schema)(Json& definitions);  // of its type, of an optional of what may stand in it
};

// Of an object with these members; `example` is an owner with defaults.
[[nodiscard]] Json schema_of_members(void* example, std::span<const SchemaMember> members, Json& definitions);

// {"type": "NAME"} and, where there is one, what KEY says: {"type": "array", "items": …}.
[[nodiscard]] Json schema_of_type(const char* name);
[[nodiscard]] Json schema_of_type(const char* name, const char* key, Json value);
// Keeps it by that name, and refers to it.
[[nodiscard]] Json define(const char* name, Json schema, Json& definitions);

}  // namespace detail

// Collects definitions on its way.
template <class T>
[[nodiscard]] Json schema_of(Json& definitions);

namespace detail {

template <class M>
Json schema_of_member(Json& definitions) {
  if constexpr (std::is_same_v<M, Json>) {
    return Json::object();
  } else if constexpr (kIsOptional<M>) {
    return schema_of<typename M::value_type>(definitions);
  } else {
    return schema_of<M>(definitions);
  }
}

template <class T, std::size_t... I>
constexpr std::array<SchemaMember, sizeof...(I)> schema_members(std::index_sequence<I...> /*all*/) {
  return {
      {{field_at<I>(kTable<T>.all).name, field_at<I>(kTable<T>.all).traits, field_at<I>(kTable<T>.all).text,
        field_at<I>(kTable<T>.all).words, &member_at<T, I>, std::is_same_v<MemberType<T, I>, Json>,
        kIsOptional<MemberType<T, I>>, &schema_of_member<MemberType<T, I>>}...}};
}

}  // namespace detail

template <class T>
Json schema_of(Json& definitions) {
  if constexpr (std::is_same_v<T, bool>) {
    return detail::schema_of_type("boolean");
  } else if constexpr (std::is_unsigned_v<T>) {
    return detail::schema_of_type("integer", "minimum", 0);
  } else if constexpr (std::is_integral_v<T>) {
    return detail::schema_of_type("integer");
  } else if constexpr (std::is_floating_point_v<T>) {
    return detail::schema_of_type("number");
  } else if constexpr (Vocabulary<T>) {
    return one_of_words(words_of(T::other));
  } else if constexpr (std::is_same_v<T, std::string> || std::is_enum_v<T>) {
    return detail::schema_of_type("string");
  } else if constexpr (detail::kIsOptional<T>) {
    return or_null(schema_of<typename T::value_type>(definitions));
  } else if constexpr (detail::kIsPairs<T>) {
    return detail::schema_of_type("object", "additionalProperties",
                                  schema_of<typename T::value_type::second_type>(definitions));
  } else if constexpr (detail::kIsList<T>) {
    return detail::schema_of_type("array", "items", schema_of<typename T::value_type>(definitions));
  } else {
    static constexpr auto kAll = detail::schema_members<T>(std::make_index_sequence<detail::kMembers<T>>());
    T example{};
    Json schema = detail::schema_of_members(&example, kAll, definitions);
    if constexpr (Nullable<T>) schema = or_null(std::move(schema));
    if constexpr (Defined<T>) return detail::define(definition_of(&example), std::move(schema), definitions);
    return schema;
  }
}

}  // namespace assay::model
