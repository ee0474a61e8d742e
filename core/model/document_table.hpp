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
constexpr auto fields_of(const Measured*) {
  return object(field("value", &Measured::value), field("low", &Measured::bounds, &Bounds::low).with(kOrNull),
                field("high", &Measured::bounds, &Bounds::high).with(kOrNull));
}

struct TableColumn {
  std::string name, expression;
};
constexpr auto fields_of(const TableColumn*) {
  return object(field("name", &TableColumn::name), field("expression", &TableColumn::expression));
}

struct TableCell {
  std::optional<double> value;
  Bounds bounds = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  UnitText unit = "";
  std::optional<Measured> ratio;
  std::string why;
};
constexpr auto fields_of(const TableCell*) {
  return object(
      field("value", &TableCell::value), field("low", &TableCell::bounds, &Bounds::low).with(kOrNull),
      field("high", &TableCell::bounds, &Bounds::high).with(kOrNull),
      field("unit", &TableCell::unit, &UnitText::base).with(kNullIfEmpty),
      field("written", &TableCell::unit, &UnitText::as_written).if_any().note(kWrittenNote),
      field("ratio", &TableCell::ratio).if_any().note("value / the reference row's, with its 95 % interval"),
      field("why", &TableCell::why).if_any().note("there is no value, or no ratio"));
}

struct TableRow {
  std::string id, case_name;
  Pairs<std::string> axes;
  Outcome outcome = Outcome::other;
  std::string reference;
  std::vector<TableCell> cells;
};
constexpr auto fields_of(const TableRow*) {
  return object(field("id", &TableRow::id), field("case", &TableRow::case_name),
                field("axes", &TableRow::axes), field("outcome", &TableRow::outcome).one_of(kOutcomes),
                field("reference", &TableRow::reference)
                    .if_any()
                    .note("the id of the row that it is held against; its own of a reference row"),
                field("cells", &TableRow::cells).note("one for each column"));
}

// Rows of several cases side by side, as the suite asks for them.
struct Table {
  std::string id, title;
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  Position position;
};
constexpr auto fields_of(const Table*) {
  return object(field("id", &Table::id), field("title", &Table::title), field("columns", &Table::columns),
                field("rows", &Table::rows), field("position", &Table::position));
}

}  // namespace assay::model
