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
// Members are bool, integers, double, text, Json, enums, structs with a table, and vectors, sets and maps (by text) of those. An
// optional that has no value is left out. A double
// that is not finite is written as null and read back as NaN. An enum needs `to_text(E)` and `bool from_text(std::string_view, E&)`
// in its namespace; a struct with `is_absent(const T&)` is written as null where that holds, and null is read as its default.
#pragma once

#include "base/error.hpp"
#include "base/json.hpp"

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay::model {

template <class Owner, class Member>
struct Field {
  const char* name;
  Member Owner::*member;
  bool may_be_absent = false;      // the reader then keeps the member's default
  bool is_left_out_empty = false;  // the writer leaves out an empty text, vector or map

  // Documents of before do not have it.
  [[nodiscard]] constexpr Field or_default() const { return {name, member, true, false}; }
  // Rare: a text, vector or map that is written only if it is not empty.
  [[nodiscard]] constexpr Field if_any() const {
    static_assert(requires(const Member& value) { value.empty(); });
    return {name, member, true, true};
  }
};

template <class Owner, class Member>
[[nodiscard]] constexpr Field<Owner, Member> field(const char* name, Member Owner::*member) {
  return {name, member};
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

// What is read, for the text of an error: "SUBJECT: 'ranks[1].rank' is missing; ADVICE".
struct Source {
  const char* code;  // of the Error
  std::string subject;
  std::string advice;
};

// Where in the document; built into text only when something is wrong.
class Path {
 public:
  explicit Path(const Source& source) : source_(&source) {}
  Path(const Path& parent, std::string_view key) : source_(parent.source_), parent_(&parent), key_(key) {}
  Path(const Path& parent, std::size_t index)
      : source_(parent.source_), parent_(&parent), index_(index), is_index_(true) {}

  [[noreturn]] void fault(const std::string& problem) const {
    const std::string place = parent_ == nullptr ? "it" : "'" + text() + "'";
    throw Error(source_->code, source_->subject + ": " + place + " " + problem + "; " + source_->advice);
  }

 private:
  [[nodiscard]] std::string text() const {
    const std::string before = parent_->parent_ == nullptr ? "" : parent_->text();
    if (is_index_) return before + "[" + std::to_string(index_) + "]";
    return before.empty() ? std::string(key_) : before + "." + std::string(key_);
  }

  const Source* source_;
  const Path* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
  bool is_index_ = false;
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
inline constexpr bool kIsMap<std::map<std::string, T>> = true;

template <class T>
constexpr auto table() {
  return fields_of(static_cast<const T*>(nullptr));
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
  } else if constexpr (detail::kIsList<T>) {
    Json json = Json::array();
    auto& list = json.template get_ref<Json::array_t&>();
    list.reserve(value.size());
    for (const auto& element : value) list.push_back(model::to_json(element));
    return json;
  } else if constexpr (detail::kIsMap<T>) {
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
            return Json::array({model::to_json(value.*each.member)...});
          } else {
            Json json = Json::object();
            // Names differ by construction. The library's own way makes an array of each pair first and compares each name with all
            // before it, which costs several times as much, in every visit.
            auto& map = json.template get_ref<Json::object_t&>();
            map.reserve(sizeof...(each));
            const auto add = [&](const auto& one) {
              const auto& member = value.*one.member;
              if constexpr (requires { member.empty(); }) {
                if (one.is_left_out_empty && member.empty()) return;
              } else if constexpr (requires { member.has_value(); }) {
                if (!member.has_value()) return;
              }
              map.emplace_back(one.name, model::to_json(member));
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

template <class T>
void read(const Json& json, T& out, const Path& path) {
  if constexpr (std::is_same_v<T, Json>) {
    out = json;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) path.fault("is not true or false");
    out = json.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    const auto found = integer<T>(json);
    if (!found) path.fault("is not an integer of its range");
    out = *found;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number() && !json.is_null()) path.fault("is not a number");
    out = json.is_null() ? std::numeric_limits<T>::quiet_NaN() : json.get<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) path.fault("is not a text");
    out = json.get_ref<const std::string&>();
  } else if constexpr (std::is_enum_v<T>) {
    if (!json.is_string()) path.fault("is not a text");
    if (!from_text(json.get_ref<const std::string&>(), out)) path.fault("is not a word that is known there");
  } else if constexpr (detail::kIsOptional<T>) {
    read(json, out.emplace(), path);
  } else if constexpr (detail::kIsList<T>) {
    if (!json.is_array()) path.fault("is not an array");
    out.clear();
    if constexpr (requires { out.reserve(0); }) out.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      typename T::value_type element{};
      read(json[i], element, Path(path, i));
      out.insert(out.end(), std::move(element));
    }
  } else if constexpr (detail::kIsMap<T>) {
    if (!json.is_object()) path.fault("is not an object");
    out.clear();
    for (const auto& [name, element] : json.items()) read(element, out[name], Path(path, name));
  } else {
    static_assert(Described<T>, "fields_of(const T*) is missing in the namespace of T");
    constexpr auto fields = detail::table<T>();
    if constexpr (Nullable<T>) {
      if (json.is_null()) {
        out = T{};
        return;
      }
    }
    if constexpr (fields.kIsRow) {
      constexpr std::size_t count = std::tuple_size_v<decltype(fields.all)>;
      if (!json.is_array() || json.size() != count)
        path.fault("is not a row of " + std::to_string(count) + " values");
      std::size_t index = 0;
      const auto take = [&](const auto& one) {
        read(json[index], out.*one.member, Path(path, index));
        ++index;
      };
      std::apply([&](const auto&... each) { (take(each), ...); }, fields.all);
    } else {
      if (!json.is_object()) path.fault("is not an object");
      const auto take = [&](const auto& one) {
        const auto found = json.find(one.name);
        if (found != json.end()) {
          read(*found, out.*one.member, Path(path, one.name));
        } else if (!one.may_be_absent) {
          Path(path, one.name).fault("is missing");
        }
      };
      std::apply([&](const auto&... each) { (take(each), ...); }, fields.all);
    }
  }
}

// Unknown keys are ignored. Throws Error with the source's code for a key that is missing or of another type.
template <class T>
[[nodiscard]] T from_json(const Json& json, const Source& source) {
  T value{};
  read(json, value, Path(source));
  return value;
}

}  // namespace assay::model
