// SPDX-License-Identifier: Apache-2.0
#include "html/page_parts.hpp"

#include "html/page.hpp"
#include "html/results.hpp"
#include "html/table.hpp"
#include "lib/answer.hpp"
#include "lib/block_constants.hpp"
#include "lib/charts.hpp"
#include "lib/compared.hpp"
#include "lib/diagnosis_texts.hpp"
#include "lib/escape.hpp"
#include "lib/finding_sides.hpp"
#include "lib/finding_texts.hpp"
#include "lib/numbers.hpp"
#include "lib/pivot.hpp"
#include "lib/row_texts.hpp"
#include "lib/stable_name.hpp"
#include "lib/telemetry_unit.hpp"
#include "lib/text.hpp"
#include "lib/wording.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

// Why rows have their verdicts, each reason once, with the rows that it holds for; without what is said of the whole finding.
std::string reasons_of_rows(const Finding& finding, const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (std::size_t i = 0; i < finding.rows.size(); ++i) {
    const std::string why = one_line(finding.rows[i].why);
    if (why.empty() || why == one_line(finding.why)) continue;
    std::vector<std::string>& rows = entry_of(reasons, why);
    if (!names[i].empty()) rows.push_back(names[i]);
  }
  std::string out;
  for (const auto& [why, rows] : reasons)
    out += "<p class=\"dim\">" + (rows.empty() ? "" : html_text(join(rows, "; ")) + ": ") +
           html_sentence(why) + "</p>\n";
  return out;
}

// Both sides under the suite's names, and what is compared with what the claim asks.
std::string finding_rows(const CasesById& cases, const Finding& finding) {
  if (has_no_values(finding)) return reasons_of_rows(finding, row_names(finding));
  const ShownSides sides = shown_sides(finding);
  const SideCells side = side_cells(cases, finding);
  const bool is_named = finding.rows.size() > 1;
  const std::string unit = side.unit.empty() ? "" : ", " + side.unit;
  const std::vector<std::string> names = row_names(finding);
  const auto number = HtmlKind::number;
  const std::vector<HtmlColumn> columns{{"at"},
                                        {sides.left + side.of_left + unit, number},
                                        {sides.right + side.of_right + unit, number},
                                        {compared_name(finding), number},
                                        {"95 % interval", number},
                                        {"asked", number},
                                        {"verdict"}};
  std::vector<HtmlRow> rows;
  for (std::size_t i = 0; i < finding.rows.size(); ++i) {
    const FindingRow& row = finding.rows[i];
    const auto shown = compared(finding, row);
    HtmlRow& out = rows.emplace_back();
    out.cells = {{is_named ? html_id(names[i]) : ""},
                 {sides.has_left ? html_text(side.rows[i].left) : ""},
                 {sides.has_right ? html_text(side.rows[i].right) : ""},
                 {shown ? html_text(compared_value(*shown)) : ""},
                 {shown ? html_text(compared_interval(*shown)) : ""},
                 {html_text(asked_text(finding))},
                 {html_verdict(row_word(row)) +
                  (row.more_rounds ? ", " + html_text(count_of(*row.more_rounds, "more round")) : "")}};
  }
  return html_table("Rows of " + finding.id, columns, rows) + reasons_of_rows(finding, names);
}

std::string metrics_table(const Case& one) {
  std::vector<BesideValue> values;
  std::vector<HtmlRow> rows;
  for (const Metric& metric : one.metrics) {
    if (!metric.value) continue;
    const Scale scale = scale_for(metric.unit, *metric.value);
    const auto bounds = bounds_beside(metric);
    values.push_back({&metric, bounds ? interval(*metric.value, bounds->low, bounds->high, scale)
                                      : no_interval_words(metric)});
    rows.emplace_back().cells = {{html_text(metric.name + index_text(metric))},
                                 {html_text(quantity(*metric.value, scale, half_width(metric)))},
                                 {},
                                 {std::to_string(metric.rounds.size())},
                                 {std::to_string(metric.n)}};
  }
  const BesideColumn beside = beside_column(values);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].cells[2].html = beside.html[i];
  const auto number = HtmlKind::number;
  return html_table(
      "Metrics of " + one.id,
      {{"metric"}, {"value", number}, {beside.heading, number}, {"rounds", number}, {"samples", number}},
      rows);
}

// With a capital, unless it begins with the name of a case.
std::string as_sentence(const Document& document, const std::string& text) {
  const std::string first = text.substr(0, text.find_first_of(" ["));
  const bool is_name = std::any_of(document.cases.begin(), document.cases.end(),
                                   [&](const Case& one) { return one.name == first; });
  return is_name ? text : capitalised(text);
}

// "1.97× [1.82, 2.13] at 4096³", whose interval no line breaks.
std::string with_whole_interval(const std::string& measured) {
  const std::size_t open = measured.find(" ["), close = measured.find(']', open);
  if (open == std::string::npos || close == std::string::npos) return html_text(measured);
  const std::string behind = html_text(measured.substr(close + 1));
  return html_text(measured.substr(0, open)) + " " + html_whole(measured.substr(open + 1, close - open)) +
         (behind.empty() || behind.front() == ',' ? "" : " ") + behind;
}

std::string labelled(const std::string& label, const std::vector<std::string>& words) {
  return words.empty()
             ? std::string()
             : "<p class=\"dim\"><strong>" + label + "</strong> " + html_text(join(words, ", ")) + "</p>\n";
}

std::string telemetry_table(const Case& one) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& each : one.telemetry) {
    std::vector<std::string>& cells = rows.emplace_back(std::vector{each.device, each.quantity});
    const Unit unit = telemetry_unit(each);
    for (const std::optional<double>& value : {each.minimum, each.mean, each.maximum})
      cells.push_back(value ? quantity(*value, unit) : "");
    cells.push_back(!each.added ? "" : !std::isfinite(*each.added) ? "unknown" : quantity(*each.added, unit));
  }
  const std::string table = html_text_table("Telemetry of " + one.id,
                                            {{"device", false},
                                             {"quantity", false},
                                             {"least", true},
                                             {"mean", true},
                                             {"greatest", true},
                                             {"added", true}},
                                            rows);
  return table.empty() ? table : "<h3>Telemetry</h3>\n" + table;
}

// What was measured stands before its limit, and where the limit comes from behind both.
std::string condition(const Expectation& one) {
  const std::string seen = value_beside_limit(one);
  std::string out = "<li>" + html_text(one.text) + ": " + html_verdict(to_text(one.status));
  if (!seen.empty()) out += ", " + html_text(seen);
  if (!one.why.empty())
    out += seen.empty() ? ", " + html_sentence(one.why) : " (" + html_sentence(one.why) + ")";
  return out + "</li>\n";
}

}  // namespace

std::string html_findings(const Document& document) {
  if (document.findings.empty()) return {};
  std::string out = "<h2>Findings</h2>\n";
  const CasesById cases = cases_by_id(document);
  for (const Finding& finding : document.findings) {
    out += "<section class=\"finding\"><h3>" +
           html_text(finding.question.empty() ? finding.id : finding.question) +
           "</h3>\n<p><strong class=\"" + html_tone(finding_word(finding)) + "\">" +
           html_text(finding_word(finding)) + "</strong>";
    if (const std::string answer = finding_answer(finding); !answer.empty())
      out += ": " + html_sentence(answer);
    const std::string measured = measured_text(finding), asked = asked_text(finding);
    if (!measured.empty())
      out += "<br>" + html_text(compared_name(finding)) + " = " + with_whole_interval(measured) +
             (asked.empty() ? "" : " <span class=\"dim\">asked: " + html_whole(asked) + "</span>");
    out += "</p>\n";
    if (!finding.say.empty()) out += "<p>" + html_sentence(fill(finding.say, finding)) + "</p>\n";
    if (!finding.because.empty())
      out += "<p>Because: " + html_sentence(fill(finding.because, finding)) + "</p>\n";
    if (!finding.background.empty()) out += "<p>" + html_sentence(finding.background) + "</p>\n";
    if (const std::string expected = expected_text(finding); !expected.empty())
      out += "<p>Expected: " + html_text(expected) + "</p>\n";
    if (const std::string why = finding_why(finding); !why.empty())
      out += "<p class=\"dim\">" + html_sentence(as_sentence(document, why)) + ".</p>\n";
    if (!finding.act.empty()) out += "<p>Do: " + html_act(fill(finding.act, finding)) + "</p>\n";
    out += "<p class=\"dim\">Claim: <code>" + html_text(finding.claim) + "</code></p>\n";
    if (const auto picture = finding_chart(finding)) out += html_figure(*picture);
    out += finding_rows(cases, finding);
    if (!finding.notes.empty()) {
      out += "<ul>\n";
      for (const std::string& note : finding.notes) out += "<li>" + html_sentence(note) + "</li>\n";
      out += "</ul>\n";
    }
    out += "</section>\n";
  }
  return out;
}

std::string html_diagnoses(const Document& document) {
  if (document.diagnoses.empty()) return {};
  std::string out = "<h2>Symptoms</h2>\n";
  for (const model::Diagnosis& each : document.diagnoses) {
    out += "<section class=\"finding\"><h3>" + html_sentence(each.symptom) +
           "</h3>\n<p>Seen: " + html_sentence(shown_by(each)) +
           "</p>\n<p>Cause: " + html_sentence(each.cause) + "</p>\n<p>Do: " + html_sentence(each.remedy) +
           "</p>\n<p class=\"dim\">Rule <code>" + html_text(each.rule) + "</code>" +
           (each.source.empty() ? "" : ", " + html_sentence(each.source)) + "</p></section>\n";
  }
  return out;
}

std::string html_charts(const Document& document) {
  std::string out;
  for (const Block& block : pivot(document))
    for (const Picture& picture : block_charts(block)) out += html_figure(picture);
  return out.empty() ? out : "<h2>Pictures</h2>\n<div class=\"pictures\">\n" + out + "</div>\n";
}

std::string html_variants(const Document& document) {
  std::vector<std::pair<std::string, std::vector<const Case*>>> by_name;
  for (const Case& one : document.cases) {
    if (by_name.empty() || by_name.back().first != one.name) by_name.push_back({one.name, {}});
    by_name.back().second.push_back(&one);
  }
  std::string out;
  for (const auto& [name, cases] : by_name)
    for (const std::string& line : differences_of_variants(cases))
      out += "<p class=\"dim\">" + html_text(name + ", " + line) + "</p>\n";
  return out;
}

std::string html_case(const Case& one, std::size_t number, CaseParts parts) {
  std::string out = "<details id=\"c" + std::to_string(number) + "\"><summary>" + html_id(one.id) + " " +
                    html_verdict(outcome_text(one.outcome)) +
                    (one.undecided() ? ", " + html_verdict("undecided") : "") + "</summary>\n";
  if (parts.parsed_when_opened) out += "</details>\n";
  if (one.reason) out += "<p>" + html_sentence(one.reason->text) + "</p>\n";
  out += metrics_table(one);
  if (const std::string tail = tail_text(one); !tail.empty()) out += labelled("Slowest iterations", {tail});
  if (parts.pictures) {
    std::string drawn;
    if (const auto timeline = timeline_chart(one)) drawn += html_figure(*timeline);
    for (const Picture& picture : sample_charts(one)) drawn += html_figure(picture);
    if (!drawn.empty()) out += "<div class=\"pictures\">\n" + drawn + "</div>\n";
  }
  std::vector<std::string> asked, found;  // one name may stand in both
  for (const Parameter& parameter : parameters_of(one))
    asked.push_back(parameter.name + ": " + parameter.text);
  for (const auto& [name, value] : one.facts) found.push_back(name + ": " + value);
  if (const std::string devices = devices_text(one); !devices.empty()) found.push_back("devices: " + devices);
  out += labelled("Parameters", asked) + labelled("Facts", found);
  if (!one.flags.empty() || !one.expectations.empty()) {
    out += "<ul>\n";
    for (const Expectation& each : one.expectations) out += condition(each);
    for (const Flag& flag : one.flags)
      out += "<li><strong>" + html_text(in_words(flag.code)) + "</strong> " + html_sentence(flag.text) +
             "</li>\n";
    out += "</ul>\n";
  }
  out += telemetry_table(one);
  if (!one.log.empty()) out += "<pre>" + xml_text(last_lines(one.log, 60, 8000)) + "</pre>\n";
  if (!one.reproduce.empty()) out += "<pre>" + html_text(one.reproduce) + "</pre>\n";
  return out + (parts.parsed_when_opened ? "" : "</details>\n");
}

}  // namespace assay::reporters
