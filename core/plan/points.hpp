// SPDX-License-Identifier: Apache-2.0
//
// The points of one case's matrix. Every value of an axis is typed once; a point is a list of pointers to
// them. Internal to this component.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "catalog/manifest.hpp"
#include "suite/suite.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::plan {

// What one value of an axis sets.
struct AxisSetting {
  enum class Target { parameter, environment, bind, load, ranks, devices, measure, plugin };
  Target target = Target::parameter;
  std::string name;     // of the parameter, variable, key of `measure` or plugin
  Json value;           // in base units; null: the variable is removed
  std::string written;  // of a parameter: as the suite has it, where that has a unit
  suite::Bind bind;
  suite::DeviceChoice devices;
  Position position;
};

// One value of an axis.
struct Choice {
  std::string text;      // as identifiers show it
  std::string one_text;  // the same for every way to write the value
  Json value;
  std::vector<AxisSetting> settings;
  // Name → suite::value_key, for exclude, where and reference.
  std::vector<std::pair<std::string, std::string>> keys;
};

struct MatrixAxis {
  std::string name;
  std::vector<const Choice*> choices;
};

using Point = std::vector<const Choice*>;  // one for each axis

class Points {
 public:
  // Types everything and reports unknown parameters and impossible values at their positions. Suite and
  // benchmark must outlive it.
  Points(const suite::SuiteCase& one, const catalog::Benchmark& benchmark, Diagnostics& diagnostics);

  [[nodiscard]] const std::vector<MatrixAxis>& axes() const { return axes_; }
  // All points in declaration order, the last axis fastest, then what `include` adds. More than `limit` of
  // them are reported.
  [[nodiscard]] std::vector<Point> expand(std::size_t limit);
  // Names of parameters that some axis sets.
  [[nodiscard]] bool sets_parameter(const std::string& name) const;

 private:
  const Choice* choice(const std::string& axis, const suite::AxisValue& value);
  std::optional<Choice> variant(const suite::AxisValue& value);
  bool add_setting(Choice& choice, const std::string& name, const Position& position,
                   const suite::Scalar& scalar);
  [[nodiscard]] bool excluded(const Point& point) const;
  std::vector<Point> included(const suite::Match& match);

  const suite::SuiteCase& case_;
  const catalog::Benchmark& benchmark_;
  Diagnostics& diagnostics_;
  std::deque<Choice> choices_;  // owns them; addresses stay
  std::vector<MatrixAxis> axes_;
};

// The key of a name at a point, or nullptr if no axis sets it.
[[nodiscard]] const std::string* key_of(const Point& point, const std::string& name);

// Names that `with` may set, for suggestions.
[[nodiscard]] std::vector<std::string> parameter_names(const catalog::Benchmark& benchmark);
void report_unknown_parameter(const std::string& name, const Position& position,
                              const catalog::Benchmark& benchmark, Diagnostics& diagnostics);

}  // namespace assay::plan
