// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the structs that have a table (field.hpp).
#pragma once

#include "base/json.hpp"
#include "model/cursor.hpp"
#include "model/field.hpp"
#include "model/path.hpp"
#include "model/vocabulary.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace assay::model {

namespace detail {

// A member as the writer and the reader of all structs see it: where it lies, and what its type can do. Their code is compiled once, and
// that of a type once for all members of it.
struct Written {
  bool (*is_empty)(const void* value);
  Json (*to_json)(const void* value);
};
struct WrittenMember {
  const char* name;
  unsigned traits;
  void* (*at)(void* owner);
  const Written* type;
};
template <class Cursor>
struct Read {
  void (*read)(const Cursor& from, void* value, const Path& path);
  void (*take)(void* value, void* other);  // moves the other one in
};
template <class Cursor>
struct ReadMember {
  std::string_view name;
  unsigned traits;
  void* (*at)(void* owner);
  const Read<Cursor>* type;

  [[nodiscard]] bool is(unsigned trait) const { return (traits & trait) != 0; }
};

[[nodiscard]] Json object_of(const void* owner, std::span<const WrittenMember> members);
[[nodiscard]] Json row_of(const void* owner, std::span<const WrittenMember> members);

// Gives a member of the owner its default.
template <class Cursor>
using ResetMember = void (*)(void* owner, const ReadMember<Cursor>& member);

template <class Cursor>
void read_one(const Cursor& from, void* owner, const ReadMember<Cursor>& one, const Path& path);
// False where that is to be overlooked. For TreeCursor and TextCursor.
template <class Cursor>
bool read_object(const Cursor& from, void* owner, std::span<const ReadMember<Cursor>> members,
                 ResetMember<Cursor> reset, const Path& path);
template <class Cursor>
bool read_row(const Cursor& from, void* owner, std::span<const ReadMember<Cursor>> members, const Path& path);

inline constexpr std::size_t kMembersAtMost = 64;  // of a struct

template <class T>
[[nodiscard]] bool is_empty(const T& value) {
  if constexpr (kIsOptional<T>) return !value.has_value();
  if constexpr (requires { value.empty(); }) return value.empty();
  return false;
}

template <class T>
inline constexpr auto kTable = table<T>();
template <class T>
inline constexpr std::size_t kMembers = decltype(table<T>())::kCount;

template <class T, std::size_t I>
void* member_at(void* owner) {
  return &field_at<I>(kTable<T>.all).of(*static_cast<T*>(owner));
}
template <class T, std::size_t I>
using MemberType = std::remove_cvref_t<decltype(field_at<I>(kTable<T>.all).of(std::declval<T&>()))>;

template <class M>
Json value_to_json(const void* value);
template <class M>
inline constexpr Written kWritten = {
    [](const void* value) { return is_empty(*static_cast<const M*>(value)); }, &value_to_json<M>};

template <class M, class Cursor>
void read_value(const Cursor& from, void* value, const Path& path);
template <class M, class Cursor>
inline constexpr Read<Cursor> kRead = {&read_value<M, Cursor>, [](void* value, void* other) {
                                         *static_cast<M*>(value) = std::move(*static_cast<M*>(other));
                                       }};

template <class T, class Cursor>
void reset_member(void* owner, const ReadMember<Cursor>& member) {
  T fresh{};
  member.type->take(member.at(owner), member.at(&fresh));
}

template <class T, std::size_t... I>
constexpr std::array<WrittenMember, sizeof...(I)> written_members(std::index_sequence<I...> /*all*/) {
  return {{{field_at<I>(kTable<T>.all).name, field_at<I>(kTable<T>.all).traits, &member_at<T, I>,
            &kWritten<MemberType<T, I>>}...}};
}
template <class T, class Cursor, std::size_t... I>
constexpr std::array<ReadMember<Cursor>, sizeof...(I)> read_members(std::index_sequence<I...> /*all*/) {
  return {{{field_at<I>(kTable<T>.all).name, field_at<I>(kTable<T>.all).traits, &member_at<T, I>,
            &kRead<MemberType<T, I>, Cursor>}...}};
}

}  // namespace detail

template <class T>
[[nodiscard]] Json to_json(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value) ? Json(value) : Json();
  } else if constexpr (std::is_enum_v<T>) {
    return to_text(value);
  } else if constexpr (detail::kIsOptional<T>) {
    return value ? model::to_json(*value) : Json();
  } else if constexpr (detail::kIsList<T> && !detail::kIsPairs<T>) {
    Json json = Json::array();
    auto& list = json.template get_ref<Json::array_t&>();
    list.reserve(value.size());
    for (const auto& element : value) list.push_back(model::to_json(element));
    return json;
  } else if constexpr (detail::kIsMap<T> || detail::kIsPairs<T>) {
    Json json = Json::object();
    auto& map = json.template get_ref<Json::object_t&>();
    map.reserve(value.size());
    for (const auto& [name, element] : value) map.emplace_back(name, model::to_json(element));
    return json;
  } else if constexpr (Described<T>) {
    if constexpr (Nullable<T>) {
      if (is_absent(value)) return nullptr;
    }
    static constexpr auto kAll = detail::written_members<T>(std::make_index_sequence<detail::kMembers<T>>());
    return detail::kTable<T>.kIsRow ? detail::row_of(&value, kAll) : detail::object_of(&value, kAll);
  } else {
    return value;  // bool, integer, text, Json
  }
}

template <class M>
Json detail::value_to_json(const void* value) {
  return model::to_json(*static_cast<const M*>(value));
}

template <class T, class Cursor>
bool read(const Cursor& from, T& out, const Path& path);

template <class M, class Cursor>
void detail::read_value(const Cursor& from, void* value, const Path& path) {
  read(from, *static_cast<M*>(value), path);
}

// The members of a struct, of an object or of a row.
template <class T, class Cursor>
bool read_struct(const Cursor& from, T& out, const Path& path) {
  static_assert(Described<T>, "fields_of(const T*) is missing in the namespace of T");
  static_assert(detail::kMembers<T> <= detail::kMembersAtMost);
  static constexpr auto kAll =
      detail::read_members<T, Cursor>(std::make_index_sequence<detail::kMembers<T>>());
  constexpr std::span<const detail::ReadMember<Cursor>> members = kAll;
  if constexpr (Nullable<T>) {
    if (from.kind() == JsonKind::null) {
      from.pass();
      out = T{};
      return true;
    }
  }
  if constexpr (detail::kTable<T>.kIsRow) {
    if (detail::read_row(from, &out, members, path)) return true;
    out = T{};
    return false;
  } else {
    return detail::read_object(from, &out, members, &detail::reset_member<T, Cursor>, path);
  }
}

// The member that has this name in JSON; nothing, where none has.
template <class T, class Cursor>
void read_member(const Cursor& from, std::string_view name, T& out, const Path& path) {
  static constexpr auto kAll =
      detail::read_members<T, Cursor>(std::make_index_sequence<detail::kMembers<T>>());
  for (const auto& one : kAll) {
    if (one.name != name) continue;
    detail::reset_member<T>(&out, one);
    return detail::read_one(from, &out, one, path);
  }
  from.pass();
}

// False if it is of another type, and that is to be overlooked.
template <class T, class Cursor>
bool read(const Cursor& from, T& out, const Path& path) {
  const JsonKind kind = from.kind();
  const auto wrong = [&](const char* problem) {
    from.pass();
    return path.wrong(problem);
  };
  if constexpr (std::is_same_v<T, Json>) {
    if (out.is_object() && kind != JsonKind::object) return wrong("is not an object");
    out = from.json();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (kind != JsonKind::boolean) return wrong("is not true or false");
    out = from.boolean();
  } else if constexpr (std::is_integral_v<T>) {
    constexpr const char* kProblem = "is not an integer of its range";
    if (kind != JsonKind::number) return wrong(kProblem);
    const auto found = from.template integer<T>();
    if (!found) return path.wrong(kProblem);
    out = *found;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (kind != JsonKind::number && kind != JsonKind::null) return wrong("is not a number");
    out = std::numeric_limits<T>::quiet_NaN();
    if (kind == JsonKind::null) {
      from.pass();
    } else {
      out = static_cast<T>(from.number());
    }
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (kind != JsonKind::text) return wrong("is not a text");
    from.text(out);
  } else if constexpr (std::is_enum_v<T>) {
    if (kind != JsonKind::text) return wrong("is not a text");
    std::string word;
    from.text(word);
    if (!from_text(word, out)) {
      if constexpr (Vocabulary<T>)
        if (path.is_brief()) return out = T::other, true;
      return path.wrong("is not a word that is known there");
    }
  } else if constexpr (detail::kIsOptional<T>) {
    if (kind == JsonKind::null) {
      from.pass();
      out.reset();
    } else if (!read(from, out.emplace(), path)) {
      out.reset();
    }
  } else if constexpr (detail::kIsMap<T>) {
    if (kind != JsonKind::object) return wrong("is not an object");
    out.clear();
    from.members([&](const Cursor& member, std::string_view key) {
      read(member, out[std::string(key)], Path(path, key));
    });
  } else if constexpr (detail::kIsPairs<T>) {
    if (kind != JsonKind::object) return wrong("is not an object");
    out.clear();
    from.members([&](const Cursor& member, std::string_view key) {
      std::erase_if(out, [&](const auto& known) { return known.first == key; });  // of two the last counts
      read(member, out.emplace_back(std::string(key), typename T::value_type::second_type{}).second,
           Path(path, key));
    });
  } else if constexpr (detail::kIsList<T>) {
    if (kind != JsonKind::array) return wrong("is not an array");
    out.clear();
    if constexpr (requires { out.reserve(0); }) out.reserve(from.size());
    std::size_t place = 0;
    from.elements([&](const Cursor& element) {
      typename T::value_type value{};
      read(element, value, Path(path, place++));
      out.insert(out.end(), std::move(value));
    });
  } else {
    return read_struct(from, out, path);
  }
  return true;
}

template <class T>
bool read(const Json& json, T& out, const Path& path) {
  return read(TreeCursor(json), out, path);
}

// Unknown keys are ignored. Throws Error with the source's code for a key that is missing or of another type.
template <class T>
[[nodiscard]] T from_json(const Json& json, const DocumentSource& source) {
  T value{};
  read(json, value, Path(source));
  return value;
}

// The same of the value that comes next in a text, of which no tree is made. Throws BadJson, too.
template <class T>
[[nodiscard]] T from_text(JsonCursor& text, const DocumentSource& source) {
  T value{};
  read(TextCursor(text), value, Path(source));
  return value;
}

template <class T>
[[nodiscard]] T read_leniently(const Json& json) {
  return from_json<T>(json, kLenient);
}

}  // namespace assay::model
