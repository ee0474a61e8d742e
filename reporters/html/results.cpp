// SPDX-License-Identifier: Apache-2.0
#include "html/results.hpp"

#include "html/page.hpp"
#include "html/table.hpp"
#include "lib/marks.hpp"
#include "lib/pivot.hpp"
#include "lib/row_texts.hpp"
#include "lib/text.hpp"
#include "lib/view.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <unordered_map>

namespace assay::reporters {
namespace {

// A case by itself, in the scale of its block.
struct ShownCase {
  Row row;
  std::vector<MetricColumn> columns;
  std::vector<ValueCell> cells;

  // The metric that stands for the case: the first that it has.
  [[nodiscard]] const ValueCell* lead() const {
    const auto found =
        std::find_if(cells.begin(), cells.end(), [](const auto& cell) { return cell.metric != nullptr; });
    return found == cells.end() ? nullptr : &*found;
  }
};

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
  const bool is_said = change.verdict && is_open(*change.verdict);
  return std::string("<span class=\"") + (change.verdict ? html_tone(to_text(*change.verdict)) : "dim") +
         "\">" + html_text(change.text) + (is_said ? ", " + html_text(to_text(*change.verdict)) : "") +
         "</span>";
}

// The limit on the metric that stands for the case; the others stand with the case.
std::string limit_html(const Case& one, const ShownCase& shown) {
  if (one.expectations.empty()) return {};
  const Expectation* limit = nullptr;
  std::string text;
  for (std::size_t i = 0; i < shown.cells.size() && limit == nullptr; ++i) {
    const ValueCell& cell = shown.cells[i];
    if (cell.limit.empty()) continue;
    limit = limit_on(shown.row, shown.columns[i].metric);
    text = (&cell == shown.lead() ? "" : shown.columns[i].metric + " ") + cell.limit;
  }
  std::size_t others = 0, failed = 0, undecided = 0;
  for (const Expectation& each : one.expectations) {
    if (&each == limit) continue;
    ++others;
    failed += each.status == ExpectationStatus::failed ? 1 : 0;
    undecided += each.status == ExpectationStatus::undecided ? 1 : 0;
  }
  std::string out = html_text(text);
  if (limit != nullptr && limit->status != ExpectationStatus::passed)
    out += ", " + html_verdict(to_text(limit->status));
  if (others == 0) return out;
  out += limit == nullptr ? count_of(others, "condition")
                          : " <span class=\"dim id\">+ " + std::to_string(others) + " more</span>";
  if (failed > 0) out += ", " + std::to_string(failed) + " " + html_verdict("failed");
  if (undecided > 0) out += ", " + std::to_string(undecided) + " " + html_verdict("undecided");
  return out;
}

std::string outcome_html(const Case& one, const Row& row) {
  std::string out = html_verdict(outcome_text(one.outcome));
  if (one.undecided()) out += ", " + html_verdict("undecided");
  if (row.mark != nullptr) out += " <span class=\"warn\">" + html_text(mark_text(row.mark)) + "</span>";
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
  const auto shown = shown_cases(document, common_marks(document));
  std::vector<BesideValue> values;
  for (const Case& one : document.cases) {
    const ValueCell* const lead = shown.at(&one).lead();
    values.push_back(
        lead == nullptr
            ? BesideValue{}
            : BesideValue{lead->metric, lead->no_interval.empty() ? lead->beside : lead->no_interval});
  }
  const BesideColumn beside = beside_column(values);
  std::vector<HtmlRow> rows;
  for (std::size_t i = 0; i < document.cases.size(); ++i) {
    const Case& one = document.cases[i];
    const ShownCase& own = shown.at(&one);
    HtmlRow& row = rows.emplace_back();
    row.outcome = outcome_text(one.outcome);
    row.cells.push_back({"<a href=\"#c" + std::to_string(i) + "\">" + html_id(one.id) + "</a>"});
    if (const ValueCell* const lead = own.lead()) {
      const Metric& metric = *lead->metric;
      const auto bounds = bounds_beside(metric);
      const bool is_compared = metric.delta && metric.delta->ratio;
      row.cells.push_back({html_text(metric.name)});
      row.cells.push_back(
          {html_text(quantity(*metric.value, lead->scale, half_width(metric))), metric.value});
      row.cells.push_back(
          {beside.html[i], bounds ? std::optional(bounds->half_width() / *metric.value) : std::nullopt});
      row.cells.push_back({change_html(lead->change), is_compared ? metric.delta->ratio : std::nullopt});
      row.cells.push_back({html_text(lead->share), metric.peak ? metric.peak->share : std::nullopt});
    } else {
      row.cells.resize(6);
    }
    row.cells.push_back({limit_html(one, own)});
    row.cells.push_back({outcome_html(one, own.row)});
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
