// SPDX-License-Identifier: Apache-2.0
#include "html/page_parts.hpp"

#include "html/page.hpp"
#include "lib/answer.hpp"
#include "lib/charts.hpp"
#include "lib/compared.hpp"
#include "lib/escape.hpp"
#include "lib/finding_texts.hpp"
#include "lib/numbers.hpp"
#include "lib/phrases.hpp"
#include "lib/pivot.hpp"
#include "lib/stable_name.hpp"
#include "lib/text.hpp"

#include <algorithm>

namespace assay::reporters {
namespace {

// A heading stands as its column does: the one at `first` and those behind it, `numbers` in all, are of numbers.
std::string head_cells(const std::vector<std::string>& names, std::size_t first, std::size_t numbers) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += i >= first && i < first + numbers ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">";
    out += html_text(names[i]) + "</th>";
  }
  return out;
}

std::string operand_text(const Operand& operand) {
  return operand.value ? quantity(*operand.value, operand.unit) : std::string("–");
}

// Both sides under the suite's names, and what is held against what the claim asks.
std::string finding_rows(const Finding& finding) {
  const ShownSides sides = shown_sides(finding);
  const bool is_named = finding.rows.size() > 1;
  const std::string asked = asked_text(finding);
  const std::vector<std::string> names = row_names(finding);
  std::string body;
  const auto number = [&](const std::string& text) {
    body += "<td class=\"n\">" + html_text(text) + "</td>";
  };
  for (std::size_t i = 0; i < finding.rows.size(); ++i) {
    const FindingRow& row = finding.rows[i];
    const auto shown = compared(finding, row);
    body += "<tr>" + (is_named ? "<td>" + html_text(names[i]) + "</td>" : std::string());
    if (sides.has_left) number(operand_text(row.left));
    if (sides.has_right) number(operand_text(row.right));
    number(shown ? compared_value(*shown) : std::string());
    number(shown ? compared_interval(*shown) : std::string());
    number(asked);
    std::string verdict =
        row.verdict + (row.more_rounds ? ", " + count_of(*row.more_rounds, "more round") : "");
    std::replace(verdict.begin(), verdict.end(), '_', ' ');
    body += "<td>" + html_text(verdict) + (row.why.empty() ? "" : ": " + html_text(row.why)) + "</td></tr>\n";
  }
  std::vector<std::string> head;
  if (is_named) head.emplace_back("at");
  const std::size_t first = head.size();
  if (sides.has_left) head.push_back(sides.left);
  if (sides.has_right) head.push_back(sides.right);
  for (const std::string& name : {compared_name(finding), std::string("95 % interval"), std::string("asked")})
    head.push_back(name);
  const std::size_t numbers = head.size() - first;
  head.emplace_back("verdict");
  return body.empty() ? body
                      : html_wide_table("Rows of " + finding.id, head_cells(head, first, numbers), body);
}

std::string metrics_table(const Case& one) {
  std::string body;
  for (const Metric& metric : one.metrics) {
    if (!metric.value) continue;
    const Scale scale = scale_for(metric.unit, *metric.value);
    body += "<tr><td>" + html_text(metric.name + index_text(metric)) + "</td><td class=\"n\">" +
            html_text(quantity(*metric.value, scale, half_width(metric))) + "</td><td class=\"n\">" +
            (metric.interval
                 ? html_text(interval(*metric.value, metric.interval->low, metric.interval->high, scale))
                 : std::string()) +
            "</td><td class=\"n\">" + std::to_string(metric.rounds.size()) + "</td><td class=\"n\">" +
            std::to_string(metric.n) + "</td></tr>\n";
  }
  return body.empty()
             ? body
             : html_wide_table("Metrics of " + one.id,
                               head_cells({"metric", "value", "95 % interval", "rounds", "samples"}, 1, 4),
                               body);
}

std::string telemetry_table(const Case& one) {
  std::string body;
  const auto cell = [](const std::optional<double>& value, const std::string& unit) {
    return "<td class=\"n\">" +
           (value ? html_text(quantity(*value, unit.empty() ? Unit("1") : Unit(unit))) : std::string()) +
           "</td>";
  };
  for (const auto& each : one.telemetry) {
    body += "<tr><td>" + html_text(each.device) + "</td><td>" + html_text(each.quantity) + "</td>" +
            cell(each.minimum, each.unit) + cell(each.mean, each.unit) + cell(each.maximum, each.unit) +
            "</tr>\n";
  }
  return body.empty() ? body
                      : "<h3>Telemetry</h3>\n" +
                            html_wide_table(
                                "Telemetry of " + one.id,
                                head_cells({"device", "quantity", "least", "mean", "greatest"}, 2, 3), body);
}

}  // namespace

std::string html_findings(const Document& document) {
  if (document.findings.empty()) return {};
  std::string out = "<h2>Findings</h2>\n";
  for (const Finding& finding : document.findings) {
    const char* tone = finding.verdict == "confirmed" ? "good"
                       : finding.verdict == "refuted" ? "bad"
                                                      : "warn";
    out += "<section class=\"finding\"><h3>" +
           html_text(finding.question.empty() ? finding.id : finding.question) +
           "</h3>\n<p><strong class=\"" + tone + "\">" + html_text(finding_word(finding)) + "</strong>";
    if (const std::string answer = finding_answer(finding); !answer.empty()) out += ": " + html_text(answer);
    const std::string measured = measured_text(finding), asked = asked_text(finding);
    if (!measured.empty())
      out += "<br>" + html_text(compared_name(finding) + " = " + measured) +
             (asked.empty() ? "" : " <span class=\"dim\">asked: " + html_text(asked) + "</span>");
    out += "</p>\n";
    if (!finding.say.empty()) out += "<p>" + html_text(fill(finding.say, finding)) + "</p>\n";
    if (!finding.because.empty())
      out += "<p>Because: " + html_text(fill(finding.because, finding)) + "</p>\n";
    if (!finding.background.empty()) out += "<p>" + html_text(finding.background) + "</p>\n";
    if (const std::string expected = expected_text(finding); !expected.empty())
      out += "<p>Expected: " + html_text(expected) + "</p>\n";
    if (const std::string why = finding_why(finding); !why.empty())
      out += "<p class=\"dim\">" + html_text(why) + "</p>\n";
    if (!finding.act.empty()) {
      const std::string act = fill(finding.act, finding);
      out +=
          "<p>Do: " + (is_sentence(act) ? html_text(act) : "<code>" + html_text(act) + "</code>") + "</p>\n";
    }
    out += "<p class=\"dim\">Claim: <code>" + html_text(finding.claim) + "</code></p>\n";
    if (const auto picture = finding_chart(finding)) out += html_figure(*picture);
    out += finding_rows(finding);
    if (!finding.notes.empty()) {
      out += "<ul>\n";
      for (const std::string& note : finding.notes) out += "<li>" + html_text(note) + "</li>\n";
      out += "</ul>\n";
    }
    out += "</section>\n";
  }
  return out;
}

std::string html_charts(const Document& document) {
  std::string out;
  for (const Block& block : pivot(document))
    for (const Picture& picture : block_charts(block)) out += html_figure(picture);
  return out.empty() ? out : "<h2>Pictures</h2>\n<div class=\"pictures\">\n" + out + "</div>\n";
}

std::string html_case(const Case& one, std::size_t number, bool pictures) {
  std::string out = "<details id=\"c" + std::to_string(number) + "\"><summary>" + html_text(one.id) +
                    " <span class=\"dim\">" + html_text(outcome_text(one.outcome)) + "</span></summary>\n";
  if (one.reason) out += "<p>" + html_text(one.reason->text) + "</p>\n";
  out += metrics_table(one);
  if (pictures) {
    std::string drawn;
    if (const auto timeline = timeline_chart(one)) drawn += html_figure(*timeline);
    for (const Picture& picture : sample_charts(one)) drawn += html_figure(picture);
    if (!drawn.empty()) out += "<div class=\"pictures\">\n" + drawn + "</div>\n";
  }
  std::vector<std::string> words;
  for (const Parameter& parameter : parameters_of(one))
    words.push_back(parameter.name + ": " + parameter.text);
  for (const auto& [name, value] : one.facts) words.push_back(name + ": " + value);
  if (const std::string devices = devices_text(one); !devices.empty()) words.push_back("devices: " + devices);
  if (!words.empty()) out += "<p class=\"dim\">" + html_text(join(words, ", ")) + "</p>\n";
  if (!one.flags.empty() || !one.expectations.empty()) {
    out += "<ul>\n";
    for (const Expectation& each : one.expectations)
      out += "<li>" + html_text(each.text + ": " + each.status + (each.why.empty() ? "" : ", " + each.why)) +
             "</li>\n";
    for (const Flag& flag : one.flags)
      out += "<li><strong>" + html_text(flag.code) + "</strong> " + html_text(flag.text) + "</li>\n";
    out += "</ul>\n";
  }
  out += telemetry_table(one);
  if (!one.log.empty()) out += "<pre>" + xml_text(last_lines(one.log, 60, 8000)) + "</pre>\n";
  if (!one.reproduce.empty()) out += "<pre>" + html_text(one.reproduce) + "</pre>\n";
  return out + "</details>\n";
}

}  // namespace assay::reporters
