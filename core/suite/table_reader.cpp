// SPDX-License-Identifier: Apache-2.0
#include "suite/table_reader.hpp"

#include "base/suggest.hpp"
#include "suite/axis_index.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::suite {

namespace {

// A cell is one value of its row.
bool check_column(const MapFields& fields, const Expression& expression) {
  const std::size_t errors = fields.diagnostics().error_count();
  if (is_relation(expression))
    fields.error("suite.expression", expression.position, "a column is a value, not a comparison",
                 "write the comparison under 'expect', or as a finding");
  if (expression.kind == Expression::Kind::selector)
    fields.error("suite.expression", expression.position, "a column can't look at other cases",
                 "name metrics of the row's case");
  if (expression.kind == Expression::Kind::call && !expression.axis.empty())
    fields.error("suite.expression", expression.position,
                 "'" + expression.name + "() over' is of several rows, and a cell is of one",
                 "leave 'over " + expression.axis + "' out");
  if (expression.kind == Expression::Kind::percent_of && is_share_target(expression.name))
    fields.error("suite.expression", expression.position, "'" + expression.name + "' can't stand in a column",
                 "'reference' of the table gives ratios to a row");
  if (fields.diagnostics().error_count() > errors) return false;
  return std::all_of(expression.operands.begin(), expression.operands.end(),
                     [&](const ExpressionPtr& operand) { return check_column(fields, *operand); });
}

void check_rows(const TableRows& rows, const std::map<std::string, AxisIndex>& indices,
                const std::vector<std::string>& ids, Diagnostics& diagnostics) {
  if (rows.case_id.value.empty()) return;  // reported as missing
  const auto index = indices.find(rows.case_id.value);
  if (index == indices.end()) {
    diagnostics.error("suite.reference", rows.case_id.position,
                      "there is no case '" + rows.case_id.value + "'",
                      suggestion(rows.case_id.value, ids, "name the id of a case"));
    return;
  }
  for (const auto& [name, values] : rows.where)
    for (const Scalar& value : values) {
      const std::size_t errors = diagnostics.error_count();
      index->second.check(name, value, diagnostics);
      if (diagnostics.error_count() > errors && !index->second.has(name.value)) break;  // once for all values
    }
}

}  // namespace

void MapFields::read(const Key& key, const Node& node, std::optional<TableRows>& found) const {
  TableRows rows;
  rows.position = node.position;
  if (node.kind == Node::Kind::map) {
    (void)read_map(node, rows);
  } else if (auto id = name(key, node)) {
    rows.case_id = std::move(*id);
  } else {
    return;
  }
  found = std::move(rows);
}

void MapFields::read(const Key& key, const Node& node, std::vector<TableRows>& found) const {
  for_each_item(key, node, "name the id of a case", [&](const Node& item) {
    std::optional<TableRows> rows;
    read(key, item, rows);
    if (rows) found.push_back(std::move(*rows));
  });
}

void read_columns(const MapFields& fields, const Key& key, const Node& node, SuiteTable& table) {
  if (node.kind != Node::Kind::map) return fields.wrong(key, node);
  if (node.entries.empty())
    fields.error("suite.empty", node.position, "'columns' names nothing",
                 "for example " + std::string(key.example));
  for (const auto& [name, value] : node.entries) {
    if (!is_identifier(name->text)) {
      fields.error("suite.value", name->position, describe(*name) + " can't be the name of a column",
                   "use letters, digits and '_'");
      continue;
    }
    const ExpressionPtr expression = fields.expression(key, *value);
    if (!expression || !check_column(fields, *expression)) continue;
    if (names(*expression).empty())
      fields.error("suite.expression", value->position, "'" + name->text + "' names no metric",
                   "for example " + std::string(key.example));
    else
      table.columns.push_back({{name->text, name->position}, expression, value->text});
  }
}

SuiteTable read_table(const MapFields& fields, const Node& node) {
  SuiteTable table;
  table.position = node.position;
  (void)fields.read_map(node, table);
  return table;
}

void check_tables(const Suite& suite, Diagnostics& diagnostics) {
  if (suite.tables.empty()) return;
  std::vector<std::string> ids;
  std::map<std::string, AxisIndex> indices;
  for (const SuiteCase& one : suite.cases) {
    if (one.matrix.broken)
      return;  // an axis that is left out cannot be distinguished from one that is not there
    ids.push_back(one.id.value);
    indices.emplace(one.id.value, AxisIndex(one));
  }
  for (const SuiteTable& table : suite.tables) {
    for (const TableRows& rows : table.rows) check_rows(rows, indices, ids, diagnostics);
    if (table.reference) check_rows(*table.reference, indices, ids, diagnostics);
  }
}

}  // namespace assay::suite
