// SPDX-License-Identifier: Apache-2.0
//
// A struct as it stands in JSON, described once: a table of its members' names, from which both the writer and the reader come.
//
//   struct Point { double x = 0; std::string label; };
//   constexpr auto fields_of(const Point*) {  // in the namespace of Point
//     return model::object(model::field("x", &Point::x), model::field("label", &Point::label).if_any());
//   }
//   const Json json = model::to_json(point);
//   const auto point = model::from_json<Point>(json, {"plan.malformed", "the plan", "run the suite anew"});
//
// Members are bool, integers, double, text, Json, enums, structs with a table, and optionals, vectors, sets and maps (by text; a vector of
// pairs is one that keeps its order) of those. An optional without a value is null. A double that is not finite is written as null
// and read back as NaN. A Json whose default is an object is read from objects only. An enum needs `to_text(E)` and `bool from_text(std::string_view, E&)`
// in its namespace; a struct with `is_absent(const T&)` is written as null where that holds, and null is read as its default.
#pragma once

#include "base/json.hpp"
#include "model/path.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay::model {

enum Trait : unsigned {
  kMayBeAbsent = 1,     // in documents of before: the reader then keeps the member's default
  kLeftOutIfEmpty = 2,  // rare: the writer leaves out an empty text, vector, map or optional
  kNullIfEmpty = 4,     // the writer writes an empty text as null
  kOrNull = 8,          // a number that may be unknown
  kNeverNull = 16,      // an optional that only a reader of a damaged document finds to be empty
  kObjectOrNull = 32,   // a Json
  kScalar = 64,         // a Json that is a number, a text or null
};

// A part of a member that is a struct.
template <class Owner, class Whole, class Part>
struct Inner {
  Whole Owner::*whole;
  Part Whole::*part;
};

template <class Pointer>
struct Field {
  const char* name;
  Pointer member;  // to a member, or to a part of one
  unsigned traits = 0;
  const char* text = "";                      // what it is, for the schema and its page
  std::span<const std::string_view> words{};  // the only ones that it may be

  [[nodiscard]] constexpr Field with(unsigned more) const {
    return {name, member, traits | more, text, words};
  }
  [[nodiscard]] constexpr Field or_default() const { return with(kMayBeAbsent); }
  [[nodiscard]] constexpr Field if_any() const { return with(kMayBeAbsent | kLeftOutIfEmpty); }
  [[nodiscard]] constexpr Field note(const char* said) const { return {name, member, traits, said, words}; }
  template <std::size_t N>
  [[nodiscard]] constexpr Field one_of(const std::array<std::string_view, N>& known) const {
    return {name, member, traits, text, known};
  }
  [[nodiscard]] constexpr bool is(unsigned trait) const { return (traits & trait) != 0; }
  template <class T>
  [[nodiscard]] constexpr auto& of(T& owner) const {
    if constexpr (std::is_member_object_pointer_v<Pointer>) {
      return owner.*member;
    } else {
      return owner.*(member.whole).*(member.part);
    }
  }
};

template <class Owner, class Member>
[[nodiscard]] constexpr Field<Member Owner::*> field(const char* name, Member Owner::*member) {
  return {name, member};
}
template <class Owner, class Whole, class Part>
[[nodiscard]] constexpr Field<Inner<Owner, Whole, Part>> field(const char* name, Whole Owner::*whole,
                                                               Part Whole::*part) {
  return {name, {whole, part}};
}

template <bool is_row, class... Each>
struct Fields {
  static constexpr bool kIsRow = is_row;
  std::tuple<Each...> all;
};

// As {"name": value, …}, in this order.
template <class... Each>
[[nodiscard]] constexpr Fields<false, Each...> object(Each... each) {
  return {{each...}};
}

// As [value, …]: of what there are many. No field of a row may be absent.
template <class... Each>
[[nodiscard]] constexpr Fields<true, Each...> row(Each... each) {
  return {{each...}};
}

template <class T>
concept Described = requires {
  fields_of(static_cast<const T*>(nullptr));
};
template <class T>
concept Nullable = requires(const T& value) {
  { is_absent(value) } -> std::same_as<bool>;
};

namespace detail {

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsList<std::set<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsPairs = false;
template <class T>
inline constexpr bool kIsPairs<std::vector<std::pair<std::string, T>>> = true;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;

template <class T>
constexpr auto table() {
  return fields_of(static_cast<const T*>(nullptr));
}

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

// False if it is of another type, and that is to be overlooked.
template <class T>
bool read(const Json& json, T& out, const Path& path) {
  if constexpr (std::is_same_v<T, Json>) {
    if (out.is_object() && !json.is_object()) return path.wrong("is not an object");
    out = json;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return path.wrong("is not true or false");
    out = json.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    const auto found = integer<T>(json);
    if (!found) return path.wrong("is not an integer of its range");
    out = *found;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number() && !json.is_null()) return path.wrong("is not a number");
    out = json.is_null() ? std::numeric_limits<T>::quiet_NaN() : json.get<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) return path.wrong("is not a text");
    out = json.get_ref<const std::string&>();
  } else if constexpr (std::is_enum_v<T>) {
    if (!json.is_string()) return path.wrong("is not a text");
    if (!from_text(json.get_ref<const std::string&>(), out))
      return path.wrong("is not a word that is known there");
  } else if constexpr (detail::kIsOptional<T>) {
    if (json.is_null() || !read(json, out.emplace(), path)) out.reset();
  } else if constexpr (detail::kIsMap<T> || detail::kIsPairs<T>) {
    if (!json.is_object()) return path.wrong("is not an object");
    out.clear();
    for (const auto& [name, element] : json.items()) {
      if constexpr (detail::kIsMap<T>) {
        read(element, out[name], Path(path, name));
      } else {
        read(element, out.emplace_back(name, typename T::value_type::second_type{}).second, Path(path, name));
      }
    }
  } else if constexpr (detail::kIsList<T>) {
    if (!json.is_array()) return path.wrong("is not an array");
    out.clear();
    if constexpr (requires { out.reserve(0); }) out.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      typename T::value_type element{};
      read(json[i], element, Path(path, i));
      out.insert(out.end(), std::move(element));
    }
  } else {
    static_assert(Described<T>, "fields_of(const T*) is missing in the namespace of T");
    constexpr auto fields = detail::table<T>();
    if constexpr (Nullable<T>) {
      if (json.is_null()) {
        out = T{};
        return true;
      }
    }
    if constexpr (fields.kIsRow) {
      constexpr std::size_t count = std::tuple_size_v<decltype(fields.all)>;
      if (!json.is_array() || json.size() != count)
        return path.wrong("is not a row of " + std::to_string(count) + " values");
      std::size_t index = 0;
      const auto take = [&](const auto& one) {
        read(json[index], one.of(out), Path(path, index));
        ++index;
      };
      std::apply([&](const auto&... each) { (take(each), ...); }, fields.all);
    } else {
      if (!json.is_object()) return path.wrong("is not an object");
      const auto take = [&](const auto& one) {
        const auto found = json.find(one.name);
        if (found != json.end()) {
          if (!found->is_null() || !one.is(kNullIfEmpty)) read(*found, one.of(out), Path(path, one.name));
        } else if (!one.is(kMayBeAbsent)) {
          Path(path, one.name).wrong("is missing");
        }
      };
      std::apply([&](const auto&... each) { (take(each), ...); }, fields.all);
    }
  }
  return true;
}

// Unknown keys are ignored. Throws Error with the source's code for a key that is missing or of another type.
template <class T>
[[nodiscard]] T from_json(const Json& json, const Source& source) {
  T value{};
  read(json, value, Path(source));
  return value;
}

template <class T>
[[nodiscard]] T read_leniently(const Json& json) {
  return from_json<T>(json, {"", "", "", true});
}

}  // namespace assay::model
