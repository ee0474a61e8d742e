// SPDX-License-Identifier: Apache-2.0
//
// The parts of a result that a comparison needs.
#pragma once

#include "model/document.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay::comparison {

struct ReadMetric {
  std::string name;
  UnitText unit = "";
  std::string direction;
  bool headline = false;
  std::vector<std::uint64_t> indices;
  std::string statistic;
  std::optional<double> value;
  std::vector<double> rounds, whole;
};

struct ReadCase {
  std::string id, comparison_key, benchmark, backend;
  std::vector<model::Axis> axes;
  std::uint64_t revision = 1;
  Json parameters = Json::object();
  Json conditions = Json::object();
  std::vector<std::string> command;
  model::Pairs<std::optional<std::string>> environment;
  model::Placement placement;
  model::Pairs<std::string> facts;
  Outcome outcome = Outcome::other;
  std::optional<model::Reason> reason;
  std::vector<model::Flag> flags;
  std::vector<ReadMetric> metrics;
};

struct LoadedResult {
  std::string source;   // as it was named
  std::string variant;  // of which it is one side; "": it is whole
  model::Run run;       // without the resolved suite
  std::vector<ReadCase> cases;
};

// Reads a result document. Throws Error "result.malformed" if it is cut off or not a result, "result.version" if its version is another one.
[[nodiscard]] LoadedResult read_result(std::string_view document, const std::string& source);

}  // namespace assay::comparison
