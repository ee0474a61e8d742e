// SPDX-License-Identifier: Apache-2.0
//
// Readers of single values: one for each form of the key table. A reader that finds something wrong reports
// it and gives nothing.
#pragma once

#include "base/diagnostics.hpp"
#include "suite/key_table.hpp"
#include "suite/suite.hpp"
#include "yaml/node.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay::suite {

// The place whose keys are read into the structure.
constexpr KeyScope place_of(const Suite*) { return KeyScope::suite; }
constexpr KeyScope place_of(const SuiteCase*) { return KeyScope::one_case; }
constexpr KeyScope place_of(const Requires*) { return KeyScope::requirement; }
constexpr KeyScope place_of(const Policy*) { return KeyScope::policy; }
constexpr KeyScope place_of(const Measure*) { return KeyScope::measure; }
constexpr KeyScope place_of(const Matrix*) { return KeyScope::matrix; }
constexpr KeyScope place_of(const Variant*) { return KeyScope::variant; }
constexpr KeyScope place_of(const Range*) { return KeyScope::range; }
constexpr KeyScope place_of(const Bind*) { return KeyScope::bind; }
constexpr KeyScope place_of(const SuiteExpectation*) { return KeyScope::expectation; }
constexpr KeyScope place_of(const ExternalExit*) { return KeyScope::exit; }
constexpr KeyScope place_of(const ExternalVerify*) { return KeyScope::verify; }
constexpr KeyScope place_of(const ExternalMetric*) { return KeyScope::metric; }
constexpr KeyScope place_of(const SuiteFinding*) { return KeyScope::finding; }
constexpr KeyScope place_of(const Expected*) { return KeyScope::expected; }
constexpr KeyScope place_of(const VerdictWords*) { return KeyScope::verdict; }
constexpr KeyScope place_of(const SuiteTable*) { return KeyScope::table; }
constexpr KeyScope place_of(const TableRows*) { return KeyScope::table_rows; }
template <typename Struct>
concept HasPlace = requires(const Struct* pointer) {
  place_of(pointer);
};
template <HasPlace Struct>
inline constexpr KeyScope kPlaceOf = place_of(static_cast<const Struct*>(nullptr));

using NamedScalars = std::vector<std::pair<Located<std::string>, Scalar>>;
using Terms = std::vector<std::pair<Located<std::string>, std::vector<Scalar>>>;

class MapFields {
 public:
  explicit MapFields(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  [[nodiscard]] Diagnostics& diagnostics() const { return diagnostics_; }

  // Reads a key's value into the member that the key is bound to.
  template <HasPlace Struct>
  void read_key(const Key& key, const Node& node, Struct& out) const {
    if (key.place == kPlaceOf<Struct>) key.read(*this, key, node, &out);
  }
  // Reads the map's keys over what is there; see for_each_key.
  template <HasPlace Struct>
  bool read_map(const Node& node, Struct& out, bool partial = false) const {
    return for_each_key(
        node, kPlaceOf<Struct>,
        [&](const Key& key, const Node&, const Node& value) { read_key(key, value, out); }, partial);
  }

  // What the key's form makes of the value, into a member: a value, or an optional one, or one with its
  // position. What is wrong is reported, and the member stays as it was.
  template <typename Member>
  void read(const Key& key, const Node& node, Member& member) const {
    if constexpr (HasPlace<Member>) {
      if constexpr (requires { member.position; }) member.position = node.position;
      (void)read_map(node, member);
    } else if constexpr (HasPlace<ValueOf<Member>>) {
      ValueOf<Member> value;
      if constexpr (requires { value.position; }) value.position = node.position;
      if (read_map(node, value)) member = std::move(value);
    } else {
      std::optional<Located<ValueOf<Member>>> found;
      read_value(key, node, found);
      if (!found) return;
      if constexpr (std::is_assignable_v<Member&, Located<ValueOf<Member>>>) {
        member = std::move(*found);
      } else {
        member = std::move(found->value);
      }
    }
  }
  void read(const Key& key, const Node& node, std::vector<TableRows>& found) const;
  void read(const Key& key, const Node& node, std::optional<TableRows>& found) const;
  void read(const Key& key, const Node& node, DeviceChoice& found) const;
  void read(const Key& key, const Node& node, std::optional<Bind>& found) const;
  void read(const Key& key, const Node& node, Scalar& found) const;
  void read(const Key& key, const Node& node, NamedScalars& found) const;  // adds to them, or replaces
  void read(const Key& key, const Node& node, Terms& found) const;
  void read(const Key& key, const Node& node, std::vector<Located<std::string>>& found) const;
  void read(const Key& key, const Node& node, std::vector<int>& found) const;

  // Calls visit(key, name, value) for each known key with a value, in the order written. Unknown keys,
  // missing required ones (unless `partial`) and keys without value are reported. False if the node is no
  // map.
  template <typename Visit>
  bool for_each_key(const Node& node, KeyScope place, Visit visit, bool partial = false) const {
    if (!begin_map(node, place, partial)) return false;
    for (const auto& [name, value] : node.entries)
      if (const Key* key = accept(*name, *value, place)) visit(*key, *name, *value);
    return true;
  }

  // Calls visit(node) for the value itself, or for each item of a list; an empty one is reported with this hint.
  template <typename Visit>
  void for_each_item(const Key& key, const Node& node, const std::string& hint, Visit visit) const {
    if (node.kind != Node::Kind::list) return visit(node);
    if (node.items.empty() && !hint.empty())
      error("suite.empty", node.position, "'" + std::string(key.name) + "' is an empty list", hint);
    for (const NodePtr& item : node.items) visit(*item);
  }

  [[nodiscard]] std::optional<Located<std::string>> text(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<Located<std::string>> name(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<Located<std::string>> choice(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<Located<std::uint64_t>> count(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<Located<double>> duration(const Key& key, const Node& node) const;  // seconds
  [[nodiscard]] std::optional<Located<double>> percent(const Key& key,
                                                       const Node& node) const;  // 0.01 for 1%
  [[nodiscard]] std::optional<Located<std::string>> benchmark(const Key& key, const Node& node) const;
  [[nodiscard]] std::vector<Located<std::string>> backends(const Key& key, const Node& node) const;
  [[nodiscard]] std::vector<Located<std::string>> libraries(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<bool> flag(const Key& key, const Node& node) const;
  // As written, but for spaces after ">=".
  [[nodiscard]] std::optional<Located<std::string>> version_text(const Key& key, const Node& node) const;
  // A text or a list of them.
  [[nodiscard]] std::vector<Located<std::string>> texts(const Key& key, const Node& node) const;
  [[nodiscard]] std::vector<Located<std::string>> files(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<DeviceChoice> devices(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<Bind> bind(const Key& key, const Node& node) const;
  // An advice that reports print: text without numbers outside {placeholders}.
  [[nodiscard]] std::optional<Located<std::string>> advice(const Key& key, const Node& node) const;
  [[nodiscard]] ExpressionPtr expression(const Key& key, const Node& node) const;

  // Maps of the user's own names. `~` is a value only for environment variables.
  [[nodiscard]] NamedScalars parameters(const Key& key, const Node& node) const;
  [[nodiscard]] NamedScalars environment(const Key& key, const Node& node) const;
  // axis -> value, or with `lists` axis -> value or list.
  [[nodiscard]] Terms terms(const Key& key, const Node& node, bool lists) const;
  // A name that an axis may have: a parameter, env.NAME, device or a reserved word for axes.
  [[nodiscard]] bool axis_name(const Node& node) const;
  [[nodiscard]] bool parameter_name(const Node& node) const;
  // A value of that axis.
  [[nodiscard]] std::optional<Scalar> axis_value(const std::string& axis, const Node& node) const;

  // "'max_time' must be a time, like 5s or 2min, not a list".
  void wrong(const Key& key, const Node& node) const;
  // Whether the node is that; wrong() says so if it is not.
  [[nodiscard]] bool is(Node::Kind kind, const Key& key, const Node& node) const;
  void error(std::string code, const Position& position, std::string what, std::string hint = {}) const {
    diagnostics_.error(std::move(code), position, std::move(what), std::move(hint));
  }

 private:
  template <typename T>
  struct WithoutWrapper {
    using Type = T;
  };
  template <typename T>
  struct WithoutWrapper<Located<T>> : WithoutWrapper<T> {};
  template <typename T>
  struct WithoutWrapper<std::optional<T>> : WithoutWrapper<T> {};
  template <typename Member>
  using ValueOf = typename WithoutWrapper<Member>::Type;

  void read_value(const Key& key, const Node& node, std::optional<Located<std::string>>& found) const;
  void read_value(const Key& key, const Node& node, std::optional<Located<bool>>& found) const;
  void read_value(const Key& key, const Node& node, std::optional<Located<double>>& found) const;
  void read_value(const Key& key, const Node& node, std::optional<Located<int>>& found) const;
  [[nodiscard]] std::optional<Located<std::string>> device_count(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<Located<std::string>> memory(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<Located<std::string>> numa_node(const Key& key, const Node& node) const;
  [[nodiscard]] std::vector<Located<std::string>> names(const Key& key, const Node& node,
                                                        bool (*is_one)(std::string_view),
                                                        const std::string& kind,
                                                        const std::string& examples) const;
  [[nodiscard]] bool begin_map(const Node& node, KeyScope place, bool partial) const;
  [[nodiscard]] const Key* accept(const Node& name, const Node& value, KeyScope place) const;
  [[nodiscard]] std::optional<Quantity> quantity(const Key& key, const Node& node, Dimension wanted) const;
  [[nodiscard]] bool within(const Key& key, double value, const Node& node) const;
  [[nodiscard]] bool variable_name(const Node& node, std::string_view name) const;

  Diagnostics& diagnostics_;
};

// Letters, digits and '_', not beginning with a digit.
[[nodiscard]] bool is_identifier(std::string_view text);

// True if the map has an unknown key that looks like a misspelling of `key`. Then only the unknown key is reported, and not
// also the missing one.
[[nodiscard]] bool misspelt(const Node& node, KeyScope place, const Key& key);

}  // namespace assay::suite
