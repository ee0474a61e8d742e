// SPDX-License-Identifier: Apache-2.0
//
// Tables of the result document: rows of several cases side by side, as the suite asks for them.
#pragma once

#include "model/document_case.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace assay::model {

// What a row comes to beside what its claim asks, or beside a reference row.
struct Measured {
  double value = 0;
  Bounds bounds = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
};

struct TableColumn {
  std::string name, expression;
};

struct TableCell {
  std::optional<double> value;
  Bounds bounds = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  UnitText unit = "";
  std::optional<Measured> ratio;
  std::string why;
};

struct TableRow {
  std::string id, case_name;
  Pairs<std::string> axes;
  Outcome outcome = Outcome::other;
  std::string reference;
  std::vector<TableCell> cells;
};

// Rows of several cases side by side, as the suite asks for them.
struct Table {
  std::string id, title;
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  Position position;
};

}  // namespace assay::model
