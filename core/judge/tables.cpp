// SPDX-License-Identifier: Apache-2.0
#include "judge/tables.hpp"

#include "judge/deltas.hpp"
#include "judge/metrics.hpp"
#include "judge/selection.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace assay::judge {
namespace {

bool has_value_of(const CaseResult& result, const std::string& axis,
                  const std::vector<suite::Scalar>& values) {
  return std::any_of(values.begin(), values.end(), [&](const suite::Scalar& value) {
    suite::SelectorTerm term;
    term.axis = axis;
    term.text = value.text;
    term.kind = value.kind == suite::Scalar::Kind::null ? suite::SelectorTerm::Kind::unset
                                                        : suite::SelectorTerm::Kind::value;
    return matches(result, term);
  });
}

bool is_row_of(const CaseResult& result, const suite::TableRows& rows, const suite::Suite& suite) {
  return result.planned->suite_case < suite.cases.size() &&
         suite.cases[result.planned->suite_case].id.value == rows.case_id.value &&
         std::all_of(rows.where.begin(), rows.where.end(),
                     [&](const auto& term) { return has_value_of(result, term.first.value, term.second); });
}

std::vector<const CaseResult*> rows_in_table(const suite::SuiteTable& table, const suite::Suite& suite,
                                             const std::vector<CaseResult>& cases) {
  std::vector<const CaseResult*> found;
  for (const suite::TableRows& rows : table.rows)
    for (const CaseResult& each : cases)
      if (is_row_of(each, rows, suite)) add_once(found, &each);
  return found;
}

struct RowReference {
  const CaseResult* row = nullptr;
  std::string why;  // there is none
};

// Of the rows that `reference` names, the one that is like this row on the axes that `where` does not name.
RowReference reference_in_table(const CaseResult& result, const std::vector<const CaseResult*>& candidates,
                                const suite::TableRows& named) {
  std::vector<const CaseResult*> alike;
  for (const CaseResult* each : candidates) {
    const auto differs = [&](const plan::AxisPoint& axis) {
      const bool is_fixed = std::any_of(named.where.begin(), named.where.end(),
                                        [&](const auto& term) { return term.first.value == axis.name; });
      const plan::AxisPoint* const own = point_of(result, axis.name);
      return !is_fixed && own != nullptr && own->text != axis.text;
    };
    if (std::none_of(each->planned->axes.begin(), each->planned->axes.end(), differs)) alike.push_back(each);
  }
  if (alike.size() == 1) return {alike.front(), {}};
  if (alike.empty()) return {nullptr, "no row of this run fits 'reference'"};
  return {nullptr, "several rows fit 'reference': " + alike[0]->planned->id + ", " + alike[1]->planned->id +
                       (alike.size() > 2 ? ", …" : "")};
}

// What a column is in a row.
struct ComputedCell {
  std::optional<MetricResult> metric;
  std::string why;  // there is none
};

ComputedCell computed_in(const CaseResult& result, const suite::Derive& column) {
  if (!result.measured) return {{}, "no result (" + std::string(result::to_text(result.outcome)) + ")"};
  const suite::Expression& expression = *column.expression;
  const MetricResult* const own =
      expression.kind == suite::Expression::Kind::name ? result.metric(expression.name) : nullptr;
  std::string why;
  std::optional<MetricResult> found = own ? std::optional(*own) : derived_metric(result, column, why);
  const bool is_name = expression.kind == suite::Expression::Kind::name;
  if (!found) return {{}, "'" + column.text + "' has no value here" + (is_name ? "" : ": " + why)};
  const bool several =
      std::any_of(found->members.begin(), found->members.end(),
                  [&](const ValueEntry& member) { return member.estimate.value != found->value; });
  if (several || !found->indices.empty())
    return {{}, "'" + column.text + "' has several values; write min(…) or max(…)"};
  return {std::move(found), {}};
}

model::TableCell table_cell(const CaseResult& result, const suite::Derive& column,
                            const RowReference& reference) {
  model::TableCell cell;
  const ComputedCell own = computed_in(result, column);
  cell.why = own.why;
  if (!own.metric) return cell;
  cell.value = own.metric->value;
  cell.unit = own.metric->shown_unit();
  if (const auto& interval = own.metric->interval) cell.bounds = *interval;
  if (!reference.row || reference.row == &result) {
    cell.why = reference.why;
    return cell;
  }
  const ComputedCell other = computed_in(*reference.row, column);
  if (!other.metric) {
    cell.why = "the reference row: " + other.why;
    return cell;
  }
  const auto delta = compare_metric(*own.metric, result.rounds(), *other.metric, reference.row->rounds());
  if (delta)
    cell.ratio = model::Measured{delta->ratio.value_or(1), delta->bounds};
  else
    cell.why = "there is no ratio of values that are not above zero";
  return cell;
}

}  // namespace

std::vector<model::Table> make_tables(const suite::Suite& suite, const std::vector<CaseResult>& cases) {
  std::vector<model::Table> tables;
  for (const suite::SuiteTable& asked : suite.tables) {
    model::Table& table = tables.emplace_back();
    table.id = asked.id.value;
    table.title = asked.title.empty() ? asked.id.value : asked.title;
    table.position = asked.position;
    for (const suite::Derive& column : asked.columns)
      table.columns.push_back({column.name.value, column.text});
    std::vector<const CaseResult*> candidates;
    for (const CaseResult& each : cases)
      if (asked.reference && is_row_of(each, *asked.reference, suite)) candidates.push_back(&each);
    for (const CaseResult* each : rows_in_table(asked, suite, cases)) {
      model::TableRow& row = table.rows.emplace_back();
      row.id = each->planned->id;
      row.case_name = suite.cases[each->planned->suite_case].id.value;
      for (const plan::AxisPoint& point : each->planned->axes) row.axes.emplace_back(point.name, point.text);
      row.outcome = each->outcome;
      RowReference reference;
      if (asked.reference) reference = reference_in_table(*each, candidates, *asked.reference);
      if (reference.row) row.reference = reference.row->planned->id;
      for (const suite::Derive& column : asked.columns)
        row.cells.push_back(table_cell(*each, column, reference));
    }
  }
  return tables;
}

}  // namespace assay::judge
