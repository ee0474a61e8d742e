// SPDX-License-Identifier: Apache-2.0
//
// Findings in the result document: what a suite asks, the rows that its answer rests on, and the answer.
#pragma once

#include "model/document_case.hpp"
#include "model/document_table.hpp"
#include "model/vocabulary.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace assay::model {

struct Operand {
  std::string id, metric;
  std::optional<double> value;
  UnitText unit = "";
};

struct FindingRow {
  std::string label;
  Pairs<std::string> axes;
  FindingVerdict verdict = FindingVerdict::other;
  std::optional<double> effect;
  Bounds bounds = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  std::uint64_t n = 0;
  std::optional<std::uint64_t> more_rounds;
  Operand left, right;
  std::string why;
  std::optional<Measured> measured;
  std::optional<bool> decides;
  std::string best;
  std::vector<std::string> tied;
};

struct Threshold {
  std::string op;
  double factor = 1, tolerance = 0;
  std::string left, right, measured;
  std::vector<double> limits;
  UnitText unit = "";
};

struct Expected {
  std::string value, source;
};

struct Finding {
  std::string id, question, claim;
  FindingVerdict verdict = FindingVerdict::other;
  std::optional<double> theta;
  std::optional<Threshold> asks;
  bool asserted = false;
  std::string why;
  std::vector<FindingRow> rows;
  std::optional<std::uint64_t> left_out;
  std::string say, act;
  Position position;
  std::optional<bool> post_hoc;
  std::string because, background;
  std::optional<Expected> expected;
  std::vector<std::string> notes;
  std::string decided_by;
};

}  // namespace assay::model
