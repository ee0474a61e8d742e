// SPDX-License-Identifier: Apache-2.0
#include "html/comparison.hpp"

#include "html/page.hpp"
#include "html/table.hpp"
#include "lib/charts.hpp"
#include "lib/text.hpp"
#include "lib/wording.hpp"
#include "text/lookup.hpp"

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::reporters {
namespace {

std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += "<li>" + html_sentence(text) + "</li>\n";
  return out.empty() ? out : "<ul>\n" + out + "</ul>\n";
}

// What the results of a side say, each thing once.
std::string each_of(const std::vector<model::ComparedRun>& side,
                    const std::function<std::string(const model::ComparedRun&)>& text) {
  std::vector<std::string> parts;
  for (const model::ComparedRun& run : side) {
    std::string part = text(run);
    if (!part.empty()) add_once(parts, std::move(part));
  }
  return join(parts, "; ");
}

std::string sides(const Comparison& comparison) {
  std::vector<HtmlPair> pairs;
  const auto add = [&](const char* what, const std::function<std::string(const model::ComparedRun&)>& text) {
    pairs.push_back({what, {each_of(comparison.before, text), each_of(comparison.after, text)}});
  };
  add("result", [](const auto& run) { return run.source; });
  add("suite", [](const auto& run) { return run.suite; });
  add("run", [](const auto& run) { return run.id; });
  add("started", [](const auto& run) { return minute_text(run.started_at); });
  add("rounds", [](const auto& run) { return std::to_string(run.rounds); });
  add("host", [](const auto& run) { return run.host; });
  add("devices", [](const auto& run) { return join(run.devices, ", "); });
  if (is_simulated(comparison))
    add("figures", [](const auto& run) {
      return std::string(run.simulated ? "simulated: they say nothing of a machine" : "measured");
    });
  return html_pairs("Both sides", pairs, {"", "old", "new"});
}

std::string differences(const Comparison& comparison) {
  if (comparison.differences.empty()) return "<p>Nothing else is known to differ.</p>\n";
  std::vector<HtmlPair> pairs;
  for (const model::Difference& each : comparison.differences)
    pairs.push_back({each.what, {each.before, each.after}});
  return std::string("<p>") +
         (comparison.differences.size() == 1
              ? "This differs, and is the change under test:"
              : "These differ, so that the comparison is confounded: nothing tells which of them changed a row.") +
         "</p>\n" + html_pairs("What differs", pairs, {"what", "old", "new"});
}

HtmlRow row_of(const Comparison& comparison, const ComparedRow& row) {
  const ComparedTexts texts = texts_of(row);
  const std::optional<double> half = std::isfinite(row.low) && std::isfinite(row.high)
                                         ? std::optional((row.high - row.low) / 2)
                                         : std::nullopt;
  const std::string why = why_failed(comparison, row) + (row.why.empty() ? "" : ": " + row.why);
  const char* const tone = has_failed(comparison, row) ? "bad" : html_tone(to_text(row.verdict));
  return {{{html_id(row.id)},
           {html_text(row.metric)},
           {html_text(texts.before), row.before},
           {html_text(texts.after), row.after},
           {html_text(texts.ratio), row.ratio},
           {html_text(texts.interval), half},
           {std::string("<strong class=\"") + tone + "\">" + html_text(texts.verdict) + "</strong>" +
            html_sentence(why)}},
          texts.verdict};
}

}  // namespace

std::string render_html(const Comparison& comparison) {
  const bool passed = comparison.verdict.outcome == ComparisonOutcome::passed;
  const std::string word = passed                                                    ? "passed"
                           : comparison.verdict.outcome == ComparisonOutcome::failed ? "FAILED"
                                                                                     : "nothing compared";
  std::string out = "<h1>Comparison</h1>\n<p class=\"verdict\"><strong class=\"" +
                    std::string(passed ? "good" : "bad") + "\">" + word +
                    "</strong>: " + html_sentence(comparison.verdict.text) + "</p>\n";
  out += "<h2>Both sides</h2>\n" + sides(comparison) + differences(comparison) +
         list_of(shift_texts(comparison));
  if (const auto picture = comparison_chart(comparison))
    out += "<h2>What changed</h2>\n" + html_figure(*picture);
  std::vector<HtmlRow> rows;
  for (const ComparedRow* row : by_importance(comparison)) rows.push_back(row_of(comparison, *row));
  const auto number = HtmlKind::number;
  const std::string table = html_results_table("Rows", "Verdict",
                                               {{"row"},
                                                {"metric"},
                                                {"old", number},
                                                {"new", number},
                                                {"new / old", number},
                                                {"95 % interval", number},
                                                {"verdict"}},
                                               rows, "new / old");
  if (!table.empty()) out += "<h2>Rows</h2>\n" + table;
  if (const std::string reach = list_of(reach_texts(comparison)); !reach.empty())
    out += "<h2>What these runs could have shown</h2>\n" + reach;
  return html_page("Comparison: " + word, out);
}

}  // namespace assay::reporters
