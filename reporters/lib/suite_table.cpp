// SPDX-License-Identifier: Apache-2.0
#include "lib/suite_table.hpp"

#include "lib/axis_text.hpp"
#include "lib/compared.hpp"
#include "lib/numbers.hpp"
#include "lib/row_texts.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace assay::reporters {
namespace {

constexpr const char* kNothing = "–";
constexpr std::size_t kNamedRows = 3;  // of those that have the same note

using Axes = model::Pairs<std::string>;

// Of `assay bench -- ./program`: nobody chose the ids of its cases, and the commands are what tells them apart.
std::string command_of(const Document& document, const std::string& id) {
  const bool is_bench = document.run.command.size() > 1 && document.run.command[1] == "bench";
  const Case* const one = is_bench ? document.find(id) : nullptr;
  return one == nullptr ? std::string() : command_text(*one);
}

// "gemm, dtype=bf16": the case where there are several, and the axes that tell rows apart.
std::vector<std::string> names_of_rows(const Document& document, const model::Table& table) {
  const auto holds = [](const Axes& axes, const std::pair<std::string, std::string>& axis) {
    return contains(axes, axis);
  };
  Axes shared = table.rows.front().axes;
  bool one_case = true;
  for (const model::TableRow& row : table.rows) {
    std::erase_if(shared, [&](const auto& axis) { return !holds(row.axes, axis); });
    one_case = one_case && row.case_name == table.rows.front().case_name;
  }
  std::vector<std::string> names;
  for (const model::TableRow& row : table.rows) {
    std::vector<std::string> parts;
    if (const std::string command = command_of(document, row.id); !command.empty()) {
      names.push_back(command);
      continue;
    }
    if (!one_case) parts.push_back(one_line(row.case_name));
    for (const auto& axis : row.axes)
      if (!holds(shared, axis)) parts.push_back(one_line(axis.first) + "=" + axis_text(axis.second));
    names.push_back(parts.empty() ? one_line(row.id) : join(parts, ", "));
  }
  return names;
}

// Of a column whose values are all of one unit.
std::optional<Scale> scale_of_column(const model::Table& table, std::size_t column) {
  std::vector<double> values;
  Unit unit;
  for (const model::TableRow& row : table.rows) {
    if (column >= row.cells.size() || !row.cells[column].value) continue;
    const model::TableCell& cell = row.cells[column];
    if (!values.empty() && unit != cell.unit) return std::nullopt;
    unit = cell.unit;
    values.push_back(*cell.value);
  }
  return common_scale(unit, values);
}

std::string table_value(const model::TableCell& cell, const std::optional<Scale>& scale) {
  if (!cell.value) return kNothing;
  const std::optional<double> width =
      known(cell.bounds) ? std::optional(cell.bounds.half_width()) : std::nullopt;
  return quantity(*cell.value, scale ? Scale{scale->factor, ""} : scale_for(cell.unit, *cell.value), width);
}

std::string table_ratio(const model::TableRow& row, const model::TableCell& cell) {
  if (!row.reference.empty() && row.reference == row.id) return "reference";
  if (!cell.ratio) return kNothing;
  return compared_text(
      {cell.ratio->value, known(cell.ratio->bounds) ? std::optional(cell.ratio->bounds) : std::nullopt, "×"});
}

std::vector<std::string> notes_of_table(const model::Table& table, const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    for (const model::TableCell& cell : table.rows[i].cells) {
      if (cell.why.empty()) continue;
      std::vector<std::string>& rows = entry_of(by_reason, cell.why);
      if (rows.empty() || rows.back() != names[i]) rows.push_back(names[i]);
    }
  std::vector<std::string> notes;
  for (const auto& [why, rows] : by_reason) {
    const std::vector<std::string> named(
        rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), kNamedRows)));
    notes.push_back(
        join(named, "; ") +
        (rows.size() > kNamedRows ? " and " + std::to_string(rows.size() - kNamedRows) + " more" : "") +
        ": " + one_line(why));
  }
  return notes;
}

}  // namespace

std::vector<SuiteTable> suite_tables(const Document& document) {
  std::vector<SuiteTable> tables;
  for (const model::Table& asked : document.tables) {
    if (asked.rows.empty()) continue;
    SuiteTable& table = tables.emplace_back();
    table.title = one_line(asked.title.empty() ? asked.id : asked.title);
    const bool has_ratios = std::any_of(asked.rows.begin(), asked.rows.end(),
                                        [](const model::TableRow& row) { return !row.reference.empty(); });
    const std::vector<std::string> names = names_of_rows(document, asked);
    table.head.emplace_back("row");
    for (const std::string& name : names) table.rows.push_back({name});
    for (std::size_t column = 0; column < asked.columns.size(); ++column) {
      const std::optional<Scale> scale = scale_of_column(asked, column);
      const std::string name = one_line(asked.columns[column].name);
      table.head.push_back(scale && !scale->unit.empty() ? name + ", " + scale->unit : name);
      if (has_ratios) table.head.push_back(name + " / reference");
      for (std::size_t i = 0; i < asked.rows.size(); ++i) {
        const model::TableRow& row = asked.rows[i];
        const model::TableCell cell = column < row.cells.size() ? row.cells[column] : model::TableCell{};
        table.rows[i].push_back(table_value(cell, scale));
        if (has_ratios) table.rows[i].push_back(table_ratio(row, cell));
      }
    }
    table.notes = notes_of_table(asked, names);
  }
  return tables;
}

}  // namespace assay::reporters
