// SPDX-License-Identifier: Apache-2.0
#include "html/comparison.hpp"

#include "html/page.hpp"
#include "lib/charts.hpp"
#include "lib/phrases.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

namespace assay::reporters {
namespace {

std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += "<li>" + html_text(text) + "</li>\n";
  return out.empty() ? out : "<ul>\n" + out + "</ul>\n";
}

std::string side_row(const std::string& what, const std::string& before, const std::string& after) {
  if (before.empty() && after.empty()) return {};
  return "<tr><th scope=\"row\">" + html_text(what) + "</th><td>" +
         html_text(before.empty() ? "none" : before) + "</td><td>" +
         html_text(after.empty() ? "none" : after) + "</td></tr>\n";
}

// What the results of a side say, each thing once.
std::string each_of(const std::vector<model::ComparedRun>& side,
                    const std::function<std::string(const model::ComparedRun&)>& text) {
  std::vector<std::string> parts;
  for (const model::ComparedRun& run : side) {
    std::string part = text(run);
    if (!part.empty() && std::find(parts.begin(), parts.end(), part) == parts.end())
      parts.push_back(std::move(part));
  }
  return join(parts, "; ");
}

std::string sides(const Comparison& comparison) {
  std::string body;
  const auto add = [&](const char* what, const std::function<std::string(const model::ComparedRun&)>& text) {
    body += side_row(what, each_of(comparison.before, text), each_of(comparison.after, text));
  };
  add("result", [](const auto& run) { return run.source; });
  add("suite", [](const auto& run) { return run.suite; });
  add("run", [](const auto& run) { return run.id; });
  add("started", [](const auto& run) { return minute_text(run.started_at); });
  add("rounds", [](const auto& run) { return std::to_string(run.rounds); });
  add("host", [](const auto& run) { return run.host; });
  add("devices", [](const auto& run) { return join(run.devices, ", "); });
  const auto is_simulated = [](const model::ComparedRun& run) { return run.simulated; };
  if (std::any_of(comparison.before.begin(), comparison.before.end(), is_simulated) ||
      std::any_of(comparison.after.begin(), comparison.after.end(), is_simulated))
    add("figures", [](const auto& run) {
      return std::string(run.simulated ? "simulated: they say nothing of a machine" : "measured");
    });
  return html_wide_table("Both sides", "<td></td><th scope=\"col\">old</th><th scope=\"col\">new</th>", body);
}

std::string differences(const Comparison& comparison) {
  if (comparison.differences.empty()) return "<p>Nothing else is known to differ.</p>\n";
  std::string body;
  for (const model::Difference& each : comparison.differences)
    body += side_row(each.what, each.before, each.after);
  return std::string("<p>") +
         (comparison.differences.size() == 1
              ? "This differs, and is the change under test:"
              : "These differ, so that the comparison is confounded: nothing tells which of them changed a row.") +
         "</p>\n" +
         html_wide_table("What differs",
                         "<th scope=\"col\">what</th><th scope=\"col\">old</th><th scope=\"col\">new</th>",
                         body);
}

const char* tone_of_change(const Comparison& comparison, const ComparedRow& row) {
  return has_failed(comparison, row) ? "bad"
         : row.verdict == "faster"   ? "good"
         : row.verdict == "slower"   ? "bad"
         : row.verdict == "same"     ? "dim"
                                     : "warn";
}

std::string row_of(const Comparison& comparison, const ComparedRow& row) {
  const ComparedTexts texts = texts_of(row);
  const bool failed = has_failed(comparison, row);
  const std::optional<double> half = std::isfinite(row.low) && std::isfinite(row.high)
                                         ? std::optional((row.high - row.low) / 2)
                                         : std::nullopt;
  std::string why = failed && row.verdict != "slower" ? ", not shown to be no worse" : "";
  if (!row.why.empty()) why += ": " + row.why;
  return "<tr data-outcome=\"" + html_text(texts.verdict) + "\"><td>" + html_text(row.id) + "</td><td>" +
         html_text(row.metric) + "</td>" + html_number_cell(row.before, texts.before) +
         html_number_cell(row.after, texts.after) + html_number_cell(row.ratio, texts.ratio) +
         html_number_cell(half, texts.interval) + "<td><strong class=\"" + tone_of_change(comparison, row) +
         "\">" + html_text(texts.verdict) + "</strong>" + html_text(why) + "</td></tr>\n";
}

}  // namespace

std::string render_html(const Comparison& comparison) {
  const bool passed = comparison.verdict.outcome == "passed";
  const std::string word = passed                                   ? "passed"
                           : comparison.verdict.outcome == "failed" ? "FAILED"
                                                                    : "nothing compared";
  std::string out = "<h1>Comparison</h1>\n<p class=\"verdict\"><strong class=\"" +
                    std::string(passed ? "good" : "bad") + "\">" + word +
                    "</strong>: " + html_text(comparison.verdict.text) + "</p>\n";
  out += "<h2>Both sides</h2>\n" + sides(comparison) + differences(comparison) +
         list_of(shift_texts(comparison));
  if (const auto picture = comparison_chart(comparison))
    out += "<h2>What changed</h2>\n" + html_figure(*picture);
  std::set<std::string> verdicts;
  std::string body;
  for (const ComparedRow* row : by_importance(comparison)) {
    verdicts.insert(texts_of(*row).verdict);
    body += row_of(comparison, *row);
  }
  if (!body.empty()) {
    out +=
        "<h2>Rows</h2>\n" + html_table_tools("Verdict", verdicts) +
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Rows\">\n<table id=\"results\"><thead><tr>" +
        html_sorting_heads({"row", "metric"}, false) +
        html_sorting_heads({"old", "new", "new / old", "95 % interval"}, true) +
        html_sorting_heads({"verdict"}, false) + "</tr></thead>\n<tbody>\n" + body +
        "</tbody></table>\n</div>\n";
  }
  if (const std::string reach = list_of(reach_texts(comparison)); !reach.empty())
    out += "<h2>What these runs could have shown</h2>\n" + reach;
  return html_page("Comparison: " + word, out);
}

}  // namespace assay::reporters
