// SPDX-License-Identifier: Apache-2.0
//
// Readers of single values: one for each form of the key table. A reader that finds something wrong reports
// it and gives nothing.
#pragma once

#include "base/diagnostics.hpp"
#include "suite/key_table.hpp"
#include "suite/node.hpp"
#include "suite/suite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::suite {

class Fields {
 public:
  explicit Fields(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  [[nodiscard]] Diagnostics& diagnostics() const { return diagnostics_; }

  // Calls visit(key, name, value) for each known key with a value, in the order written. Unknown keys,
  // missing required ones (unless `partial`) and keys without value are reported. False if the node is no
  // map.
  template <typename Visit>
  bool for_each_key(const Node& node, Place place, Visit visit, bool partial = false) const {
    if (!begin_map(node, place, partial)) return false;
    for (const auto& [name, value] : node.entries)
      if (const Key* key = accept(*name, *value, place)) visit(*key, *name, *value);
    return true;
  }

  [[nodiscard]] std::optional<At<std::string>> text(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<At<std::string>> name(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<At<std::string>> choice(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<At<std::uint64_t>> count(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<At<double>> duration(const Key& key, const Node& node) const;  // seconds
  [[nodiscard]] std::optional<At<double>> percent(const Key& key, const Node& node) const;   // 0.01 for 1%
  [[nodiscard]] std::optional<At<std::string>> benchmark(const Key& key, const Node& node) const;
  [[nodiscard]] std::vector<At<std::string>> backends(const Key& key, const Node& node) const;
  [[nodiscard]] std::vector<At<std::string>> libraries(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<bool> flag(const Key& key, const Node& node) const;
  // As written, but for spaces after ">=".
  [[nodiscard]] std::optional<At<std::string>> version_text(const Key& key, const Node& node) const;
  [[nodiscard]] std::vector<At<std::string>> files(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<Devices> devices(const Key& key, const Node& node) const;
  [[nodiscard]] std::optional<Bind> bind(const Key& key, const Node& node) const;
  // These two set what the node names, over what is there.
  void requirement(const Node& node, Requires& found) const;
  void policy(const Node& node, Policy& found) const;
  void measure(const Node& node, Measure& measure) const;
  [[nodiscard]] std::optional<Verdict> verdict(const Node& node) const;
  // An advice that reports print: text without numbers outside {placeholders}.
  [[nodiscard]] std::optional<At<std::string>> advice(const Key& key, const Node& node) const;
  [[nodiscard]] ExpressionPtr expression(const Key& key, const Node& node) const;

  // Maps of the user's own names. `~` is a value only for environment variables.
  [[nodiscard]] std::vector<std::pair<At<std::string>, Scalar>> parameters(const Key& key,
                                                                           const Node& node) const;
  [[nodiscard]] std::vector<std::pair<At<std::string>, Scalar>> environment(const Key& key,
                                                                            const Node& node) const;
  // axis -> value, or with `lists` axis -> value or list.
  [[nodiscard]] std::vector<std::pair<At<std::string>, std::vector<Scalar>>> terms(const Key& key,
                                                                                   const Node& node,
                                                                                   bool lists) const;
  // A name that an axis may have: a parameter, env.NAME, device or a reserved word for axes.
  [[nodiscard]] bool axis_name(const Node& node) const;
  [[nodiscard]] bool parameter_name(const Node& node) const;
  // A value of that axis.
  [[nodiscard]] std::optional<Scalar> axis_value(const std::string& axis, const Node& node) const;

  // "'max_time' must be a time, like 5s or 2min, not a list".
  void wrong(const Key& key, const Node& node) const;
  void error(std::string code, const Position& position, std::string what, std::string hint = {}) const {
    diagnostics_.error(std::move(code), position, std::move(what), std::move(hint));
  }

 private:
  [[nodiscard]] std::vector<At<std::string>> names(const Key& key, const Node& node,
                                                   bool (*is_one)(std::string_view), const std::string& kind,
                                                   const std::string& examples) const;
  [[nodiscard]] bool begin_map(const Node& node, Place place, bool partial) const;
  [[nodiscard]] const Key* accept(const Node& name, const Node& value, Place place) const;
  [[nodiscard]] std::optional<Quantity> quantity(const Key& key, const Node& node, Dimension wanted) const;
  [[nodiscard]] bool within(const Key& key, double value, const Node& node) const;
  [[nodiscard]] bool variable_name(const Node& node, std::string_view name) const;

  Diagnostics& diagnostics_;
};

// Letters, digits and '_', not beginning with a digit.
[[nodiscard]] bool is_identifier(std::string_view text);

// A name in the map that is no key there, and reads like this one: that it is unknown says all, and the key
// need not be called missing, too.
[[nodiscard]] bool misspelt(const Node& node, Place place, const Key& key);

}  // namespace assay::suite
