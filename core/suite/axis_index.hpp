// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.hpp"
#include "suite/expression.hpp"
#include "suite/suite.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::suite {

// The axes of a case and their values, for checking what refers to them: exclude, include, where, reference,
// selectors.
class AxisIndex {
 public:
  explicit AxisIndex(const SuiteCase& one);

  // Names in the order written: axes, then what maps on them set, then "device" if devices are distinguished.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has(const std::string& name) const;
  // Reports a name that is not an axis, or a value that the axis does not have.
  void check(const Located<std::string>& name, const Scalar& value, Diagnostics& diagnostics) const;
  void check(const SelectorTerm& term, Diagnostics& diagnostics) const;

 private:
  struct AxisValues {
    std::vector<std::string> texts;  // for suggestions
    std::set<std::string> keys;
    bool open = false;  // any value may come: devices of the machine
  };
  void add(const std::string& name, const Scalar& value);
  [[nodiscard]] const AxisValues* find(const std::string& name) const;
  bool check_name(const std::string& name, const Position& position, Diagnostics& diagnostics) const;

  std::vector<std::string> names_;
  std::vector<AxisValues> values_;  // beside names_
};

}  // namespace assay::suite
