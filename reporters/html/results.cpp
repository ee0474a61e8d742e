// SPDX-License-Identifier: Apache-2.0
#include "html/results.hpp"

#include "html/page.hpp"
#include "html/table.hpp"
#include "lib/marks.hpp"
#include "lib/pivot.hpp"
#include "lib/row_texts.hpp"
#include "lib/text.hpp"
#include "lib/view.hpp"

#include <cstddef>
#include <set>
#include <unordered_map>
#include <vector>

namespace assay::reporters {
namespace {

// A case by itself, in the scale of its block.
struct ShownCase {
  Row row;
  std::vector<MetricColumn> columns;
  std::vector<ValueCell> cells;
};

// A row of the table: a metric of a case, or a case that has none.
struct ShownRow {
  std::size_t number;  // of the case
  const ShownCase& shown;
  const MetricColumn* column = nullptr;
  const ValueCell* cell = nullptr;
  bool is_first = false;  // of its case
};

// Every metric that stands in the table of Markdown: what has a value, or a limit for what has none.
std::vector<ShownRow> rows_of(std::size_t number, const ShownCase& shown) {
  std::vector<ShownRow> out;
  for (std::size_t i = 0; i < shown.cells.size(); ++i)
    if (shown.cells[i].metric != nullptr || !shown.cells[i].limit.empty())
      out.push_back({number, shown, &shown.columns[i], &shown.cells[i], out.empty()});
  if (out.empty()) out.push_back({number, shown, nullptr, nullptr, true});
  return out;
}

// Rows of several members become rows of one: the page has each case.
std::unordered_map<const Case*, ShownCase> shown_cases(const Document& document,
                                                       const std::vector<CommonMark>& common) {
  std::unordered_map<const Case*, ShownCase> out;
  for (Block block : pivot(document)) {
    const std::vector<Row> rows = std::move(block.rows);
    block.rows.clear();
    block.over_devices = false;
    block.most_members = 1;
    for (const Row& row : rows)
      for (const Case* one : row.members)
        block.rows.push_back({row.labels, {one}, mark_of(*one, common), one->is_reference});
    BlockView view = view_of(block);
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const Case* const one = block.rows[i].members.front();
      out.emplace(one, ShownCase{block.rows[i], view.columns, std::move(view.rows[i])});
    }
  }
  return out;
}

// "−22.8 %", "+3.0 %, undecided", "reference".
std::string change_html(const ChangeCell& change) {
  if (change.text.empty()) return {};
  return std::string("<span class=\"") + (change.verdict ? html_tone(to_text(*change.verdict)) : "dim") +
         "\">" + html_text(change.text) + (change.open.empty() ? "" : ", " + html_text(change.open)) +
         "</span>";
}

// The limit on the metric of the row; the first row of a case counts those that no row has.
std::string limit_html(const Case& one, const ShownRow& row) {
  std::string out;
  if (row.cell != nullptr && !row.cell->limit.empty()) {
    out = html_whole(row.cell->limit);
    if (const Expectation* const limit = limit_on(row.shown.row, row.column->metric);
        limit != nullptr && limit->status != ExpectationStatus::passed)
      out += ", " + html_verdict(to_text(limit->status));
  }
  if (!row.is_first) return out;
  std::set<const Expectation*> with_row;
  for (std::size_t i = 0; i < row.shown.cells.size(); ++i)
    if (!row.shown.cells[i].limit.empty())
      with_row.insert(limit_on(row.shown.row, row.shown.columns[i].metric));
  constexpr std::size_t kMostNamed = 2;
  std::size_t others = 0, undecided = 0;
  std::vector<const Expectation*> failed;
  for (const Expectation& each : one.expectations) {
    if (with_row.contains(&each)) continue;
    ++others;
    if (each.status == ExpectationStatus::failed) failed.push_back(&each);
    undecided += each.status == ExpectationStatus::undecided ? 1 : 0;
  }
  if (others == 0) return out;
  out += out.empty() ? count_of(others, "condition")
                     : " <span class=\"dim id\">+ " + std::to_string(others) + " more</span>";
  if (failed.size() > kMostNamed) {
    out += ", " + std::to_string(failed.size()) + " " + html_verdict("failed");
  } else {
    for (const Expectation* each : failed)
      out += "; " + html_text(value_and_limit(*each)) + ", " + html_verdict("failed");
  }
  if (undecided > 0) out += ", " + std::to_string(undecided) + " " + html_verdict("undecided");
  return out;
}

std::string outcome_html(const Case& one, const Row& row) {
  std::string out = html_verdict(outcome_text(one.outcome));
  if (one.undecided()) out += ", " + html_verdict("undecided");
  if (no_limit_judged(one)) out += ", <span class=\"warn\">" + std::string(kLimitsNotJudged) + "</span>";
  if (row.mark != nullptr) out += " <span class=\"warn\">" + html_whole(mark_text(row.mark)) + "</span>";
  return out;
}

}  // namespace

BesideColumn beside_column(const std::vector<BesideValue>& values) {
  std::set<std::string> headings;
  for (const BesideValue& value : values)
    if (value.metric != nullptr && bounds_beside(*value.metric))
      headings.insert(bounds_heading(*value.metric));
  BesideColumn out{headings.size() == 1 ? *headings.begin() : "interval", {}};
  for (const BesideValue& value : values) {
    std::string& html = out.html.emplace_back(html_text(value.text));
    if (headings.size() > 1 && value.metric != nullptr && bounds_beside(*value.metric))
      html += " <span class=\"dim\">" + html_text(bounds_heading(*value.metric)) + "</span>";
  }
  return out;
}

std::string html_results(const Document& document) {
  const auto shown_of = shown_cases(document, common_marks(document));
  std::vector<ShownRow> shown;
  for (std::size_t i = 0; i < document.cases.size(); ++i)
    for (const ShownRow& row : rows_of(i, shown_of.at(&document.cases[i]))) shown.push_back(row);
  std::vector<BesideValue> values;
  for (const ShownRow& row : shown)
    values.push_back(row.cell == nullptr ? BesideValue{}
                                         : BesideValue{row.cell->metric, row.cell->no_interval.empty()
                                                                             ? row.cell->beside
                                                                             : row.cell->no_interval});
  const BesideColumn beside = beside_column(values);
  std::vector<HtmlRow> rows;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const ShownRow& each = shown[i];
    const Case& one = document.cases[each.number];
    HtmlRow& row = rows.emplace_back();
    row.outcome = outcome_text(one.outcome);
    row.cells.push_back({"<a href=\"#c" + std::to_string(each.number) + "\">" + html_id(one.id) + "</a>"});
    row.cells.push_back({each.column == nullptr ? std::string() : html_text(each.column->metric)});
    if (each.cell != nullptr && each.cell->metric != nullptr) {
      const ValueCell& cell = *each.cell;
      const Metric& metric = *cell.metric;
      const auto bounds = bounds_beside(metric);
      const bool is_compared = metric.delta && metric.delta->ratio;
      row.cells.push_back({html_text(quantity(*metric.value, cell.scale, half_width(metric))), metric.value});
      row.cells.push_back(
          {beside.html[i], bounds ? std::optional(bounds->half_width() / *metric.value) : std::nullopt});
      row.cells.push_back({change_html(cell.change), is_compared ? metric.delta->ratio : std::nullopt});
      row.cells.push_back({html_text(cell.share), metric.peak ? metric.peak->share : std::nullopt});
    } else {
      row.cells.resize(6);
    }
    row.cells.push_back({limit_html(one, each)});
    row.cells.push_back({outcome_html(one, each.shown.row)});
  }
  const auto number = HtmlKind::number;
  return html_results_table("Results", "Outcome",
                            {{"case"},
                             {"metric"},
                             {"value", number},
                             {beside.heading, number},
                             {"to reference", number},
                             {"of peak", number},
                             {"limit"},
                             {"outcome"}},
                            rows, "value");
}

std::string html_group_checks(const Document& document) {
  if (document.groups.empty()) return {};
  std::vector<HtmlRow> rows;
  for (const Group& group : document.groups) {
    HtmlRow& row = rows.emplace_back();
    row.cells = {{html_sentence(group.id)},
                 {html_text(group_value(group))},
                 {html_text(group_limit(group))},
                 {html_verdict(to_text(group.status))},
                 {html_sentence(group.why)}};
  }
  const auto number = HtmlKind::number;
  return "<h3>Checks over several cases</h3>\n" +
         html_table("Checks over several cases",
                    {{"check"}, {"value", number}, {"limit", number}, {"status"}, {"why"}}, rows);
}

}  // namespace assay::reporters
