// SPDX-License-Identifier: Apache-2.0
//
// A struct as it stands in JSON, described once: a table of its members' names, from which its writer and its reader (field_json.hpp) and its
// schema (schema.hpp) come.
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

#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
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
  kLarge = 128,         // a Json that the reader of a text passes over
  kDetail = 256,        // of use to reports only: who reads in brief passes over it
};

// A part of a member that is a struct.
template <class Owner, class Whole, class Part>
struct PartOfMember {
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
  [[nodiscard]] constexpr Field detail() const { return with(kDetail); }
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
[[nodiscard]] constexpr Field<PartOfMember<Owner, Whole, Part>> field(const char* name, Whole Owner::*whole,
                                                                      Part Whole::*part) {
  return {name, {whole, part}};
}

// The fields of a struct in their order. A std::tuple of as many takes a compiler several times as long.
template <std::size_t, class Each>
struct FieldSlot {
  Each field;
};
template <class Places, class... Each>
struct FieldSlots;
template <std::size_t... I, class... Each>
struct FieldSlots<std::index_sequence<I...>, Each...> : FieldSlot<I, Each>... {};

template <std::size_t I, class Each>
[[nodiscard]] constexpr const Each& field_at(const FieldSlot<I, Each>& slot) {
  return slot.field;
}

template <bool is_row, class... Each>
struct Fields {
  static constexpr bool kIsRow = is_row;
  static constexpr std::size_t kCount = sizeof...(Each);
  FieldSlots<std::index_sequence_for<Each...>, Each...> all;
};

// As {"name": value, …}, in this order.
template <class... Each>
[[nodiscard]] constexpr Fields<false, Each...> object(Each... each) {
  return {{{each}...}};
}

// As [value, …]: of what there are many. No field of a row may be absent.
template <class... Each>
[[nodiscard]] constexpr Fields<true, Each...> row(Each... each) {
  return {{{each}...}};
}

template <std::size_t... I, class... Each, class Visit>
constexpr void visit_fields(const FieldSlots<std::index_sequence<I...>, Each...>& all, Visit&& visit) {
  (visit(field_at<I>(all)), ...);
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

}  // namespace detail

}  // namespace assay::model
