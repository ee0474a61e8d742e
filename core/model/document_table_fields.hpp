// SPDX-License-Identifier: Apache-2.0
//
// Of a table: the tables of its fields, from which come its reader, its writer, its JSON Schema and its reference page.
#pragma once

#include "model/document_case_fields.hpp"
#include "model/document_table.hpp"
#include "model/field.hpp"

namespace assay::model {

constexpr auto fields_of(const Measured*) {
  return object(field("value", &Measured::value), field("low", &Measured::bounds, &Bounds::low).with(kOrNull),
                field("high", &Measured::bounds, &Bounds::high).with(kOrNull));
}

constexpr auto fields_of(const TableColumn*) {
  return object(field("name", &TableColumn::name), field("expression", &TableColumn::expression));
}

constexpr auto fields_of(const TableCell*) {
  return object(field("value", &TableCell::value),
                field("low", &TableCell::bounds, &Bounds::low).with(kOrNull),
                field("high", &TableCell::bounds, &Bounds::high).with(kOrNull),
                field("unit", &TableCell::unit, &UnitText::base).with(kNullIfEmpty),
                field("written", &TableCell::unit, &UnitText::as_written).if_any().note(kWrittenNote),
                field("ratio", &TableCell::ratio)
                    .if_any()
                    .note("value / value of the reference row, with its 95 % interval"),
                field("why", &TableCell::why).if_any().note("why there is no value, or no ratio"));
}

constexpr auto fields_of(const TableRow*) {
  return object(field("id", &TableRow::id), field("case", &TableRow::case_name),
                field("axes", &TableRow::axes), field("outcome", &TableRow::outcome).one_of(kOutcomes),
                field("reference", &TableRow::reference)
                    .if_any()
                    .note("id of the row that this row is compared with; a reference row has its own id"),
                field("cells", &TableRow::cells).note("one cell for each column"));
}

constexpr auto fields_of(const Table*) {
  return object(field("id", &Table::id), field("title", &Table::title), field("columns", &Table::columns),
                field("rows", &Table::rows), field("position", &Table::position));
}

}  // namespace assay::model
