// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the structs that have a table (field.hpp).
#pragma once

#include "base/json.hpp"
#include "model/cursor.hpp"
#include "model/field.hpp"
#include "model/path.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace assay::model {

namespace detail {

template <class T>
[[nodiscard]] bool is_empty(const T& value) {
  if constexpr (kIsOptional<T>) return !value.has_value();
  if constexpr (requires { value.empty(); }) return value.empty();
  return false;
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
    constexpr auto fields = detail::table<T>();
    return std::apply(
        [&](const auto&... each) {
          if constexpr (fields.kIsRow) {
            return Json::array({model::to_json(each.of(value))...});
          } else {
            Json json = Json::object();
            // Names differ by construction. The library's own way makes an array of each pair first and compares each name with all
            // before it, which costs several times as much, in every visit.
            auto& map = json.template get_ref<Json::object_t&>();
            map.reserve(sizeof...(each));
            const auto add = [&](const auto& one) {
              const auto& member = one.of(value);
              const bool is_empty = detail::is_empty(member);
              if (is_empty && one.is(kLeftOutIfEmpty)) return;
              map.emplace_back(one.name, is_empty && one.is(kNullIfEmpty) ? Json() : model::to_json(member));
            };
            (add(each), ...);
            return json;
          }
        },
        fields.all);
  } else {
    return value;  // bool, integer, text, Json
  }
}

namespace detail {

// The place of a name in a table, which is where the one before it says in a document that keeps its order; or the table's size.
template <std::size_t N>
[[nodiscard]] std::size_t place_of(const std::array<std::string_view, N>& names, std::string_view name,
                                   std::size_t expected) {
  for (std::size_t i = 0; i < N; ++i) {
    const std::size_t at = expected + i < N ? expected + i : expected + i - N;
    if (names[at] == name) return at;
  }
  return N;
}

template <class... Each, class Body, std::size_t... I>
void at_place(const std::tuple<Each...>& fields, std::size_t place, const Body& body,
              std::index_sequence<I...> /*all*/) {
  (void)((place == I ? (body(std::get<I>(fields)), true) : false) || ...);
}

}  // namespace detail

template <class T, class Cursor>
bool read(const Cursor& from, T& out, const Path& path);

// The members of a struct, of an object or of a row.
template <class T, class Cursor>
bool read_struct(const Cursor& from, T& out, const Path& path) {
  static_assert(Described<T>, "fields_of(const T*) is missing in the namespace of T");
  constexpr auto fields = detail::table<T>();
  constexpr std::size_t count = std::tuple_size_v<decltype(fields.all)>;
  constexpr auto all = std::make_index_sequence<count>();
  const JsonKind kind = from.kind();
  if constexpr (Nullable<T>) {
    if (kind == JsonKind::null) {
      from.pass();
      out = T{};
      return true;
    }
  }
  if constexpr (fields.kIsRow) {
    std::size_t place = 0;
    if (kind == JsonKind::array && (!Cursor::kIsTree || from.size() == count)) {
      from.elements([&](const Cursor& element) {
        if (place >= count) element.pass();
        detail::at_place(
            fields.all, place, [&](const auto& one) { read(element, one.of(out), Path(path, place)); }, all);
        ++place;
      });
    } else {
      from.pass();
    }
    if (place == count) return true;
    out = T{};
    return path.wrong("is not a row of " + std::to_string(count) + " values");
  } else {
    if (kind != JsonKind::object) {
      from.pass();
      return path.wrong("is not an object");
    }
    constexpr auto names = std::apply(
        [](const auto&... each) {
          return std::array<std::string_view, count>{std::string_view(each.name)...};
        },
        fields.all);
    const auto is_passed_over = [](const auto& one) { return one.is(kLarge) && !Cursor::kIsTree; };
    std::array<bool, count> seen{};
    std::size_t next = 0;
    from.members([&](const Cursor& member, std::string_view key) {
      const std::size_t place = detail::place_of(names, key, next);
      if (place == count) return member.pass();
      next = place + 1;
      detail::at_place(
          fields.all, place,
          [&](const auto& one) {
            if (std::exchange(seen[place], true)) {  // of two the last counts
              T fresh{};
              one.of(out) = std::move(one.of(fresh));
            }
            const bool is_null = one.is(kNullIfEmpty) && member.kind() == JsonKind::null;
            if (is_null || is_passed_over(one)) {
              member.pass();
            } else {
              read(member, one.of(out), Path(path, one.name));
            }
          },
          all);
    });
    std::size_t place = 0;
    const auto require = [&](const auto& one) {
      if (!seen[place++] && !one.is(kMayBeAbsent) && !is_passed_over(one))
        Path(path, one.name).wrong("is missing");
    };
    std::apply([&](const auto&... each) { (require(each), ...); }, fields.all);
    return true;
  }
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
    if (!from_text(word, out)) return path.wrong("is not a word that is known there");
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
