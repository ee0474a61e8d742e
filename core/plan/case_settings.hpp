// SPDX-License-Identifier: Apache-2.0
//
// What holds at one point of a case once defaults, the case's keys and the point's choices are put together.
// Internal to this component.
#pragma once

#include "plan/plan.hpp"
#include "plan/points.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::plan {

struct CaseSettings {
  Json parameters = Json::object();  // in manifest order
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  suite::Bind bind;
  suite::DeviceChoice devices;
  std::optional<int> ranks;
  bool together = false;
  Position placement_position;         // of what decides the devices
  suite::Located<std::string> plugin;  // of a variant, in place of the case's
  model::MeasureOptions measure;
  double timeout_s = 0;
  int rounds = 1;
  std::map<std::string, Position> parameter_positions;
  std::map<std::string, std::string> written;  // of parameters, as PlannedCase has it
};

// How many rounds of fresh processes a case has: what the suite says, else three, so that its interval is one over
// rounds, and five where a finding or a share of the reference row tells it apart from another one. Variants have six. A load is held for
// long once, and a stated number of samples is taken as it is: such cases have one round unless the suite says more. A command is a fresh process at every
// execution, and each is a round: 'samples' of them, times 'processes'. Everything in a quick run has one.
[[nodiscard]] int rounds_of(const suite::Suite& suite, const suite::SuiteCase& one, bool quick);

// Everything but the point's choices. Reports unknown parameters, impossible values, and required parameters
// that neither `with` nor an axis sets.
[[nodiscard]] CaseSettings base_settings(const suite::Suite& suite, const suite::SuiteCase& one,
                                         const catalog::Benchmark& benchmark, const Points& points,
                                         bool quick, Diagnostics& diagnostics);

void apply_point(const Point& point, CaseSettings& settings);

// "none", "local", "cpu:node:0/memory:node:1".
[[nodiscard]] std::string to_text(const suite::Bind& bind);

}  // namespace assay::plan
