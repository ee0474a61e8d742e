// SPDX-License-Identifier: Apache-2.0
#include "html/html.hpp"

#include "html/page.hpp"
#include "html/page_parts.hpp"
#include "lib/answer.hpp"
#include "lib/escape.hpp"
#include "lib/finding_texts.hpp"
#include "lib/marks.hpp"
#include "lib/numbers.hpp"
#include "lib/phrases.hpp"
#include "lib/replicate.hpp"
#include "lib/row_texts.hpp"
#include "lib/stable_name.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <set>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostPictures = 400;  // cases whose samples are drawn; more would not open quickly

const char* tone_of(Outcome outcome) {
  return outcome == Outcome::passed ? "good" : outcome == Outcome::skipped ? "dim" : "bad";
}

class PageWriter {
 public:
  explicit PageWriter(const Document& document) : document_(document) {}

  std::string write() {
    top();
    const bool passed = document_.verdict.outcome == "passed";
    if (!passed) reasons();
    out_ += html_findings(document_);
    out_ += html_charts(document_);
    results();
    if (passed) reasons();
    cases();
    system();
    replicate();
    return html_page(document_.run.suite + ": " + verdict_word(document_), out_);
  }

 private:
  // What was found, what to do, and what limits it. Counts of a run that passed stand at the end.
  void top() {
    const Run& run = document_.run;
    out_ += "<h1>" + html_text(run.suite) + "</h1>\n";
    if (!run.description.empty()) out_ += "<p class=\"dim\">" + html_text(run.description) + "</p>\n";
    if (const std::string answers = reporters::bottom_line(document_); !answers.empty())
      out_ += "<p class=\"verdict\"><strong>" + html_text(answers) + "</strong></p>\n";
    if (document_.findings.empty() || document_.verdict.outcome != "passed") counts();
    if (const std::vector<std::string> acts = what_to_do(document_); !acts.empty()) {
      out_ += "<p>What to do:</p>\n<ul>\n";
      for (const std::string& act : acts)
        out_ +=
            "<li>" + (is_sentence(act) ? html_text(act) : "<code>" + html_text(act) + "</code>") + "</li>\n";
      out_ += "</ul>\n";
    }
    for (const auto& devices : document_.verdict.devices) out_ += "<p>" + html_text(devices.text) + ".</p>\n";
    for (const std::string& note : run_notes(document_))
      out_ += "<p class=\"warn\">" + html_text(note) + ".</p>\n";
    std::vector<std::string> parts = system_parts(document_);
    parts.push_back(minute_text(run.started_at));
    parts.push_back(duration(run.duration_s.value_or(0)));
    out_ += "<p class=\"dim\">" + html_text(join(parts, " · ")) + "</p>\n";
  }

  void counts() {
    const bool good = document_.verdict.outcome == "passed";
    out_ += "<p class=\"verdict\"><strong class=\"" + std::string(good ? "good" : "bad") + "\">" +
            html_text(verdict_word(document_)) + "</strong>: " + html_text(tally_text(document_)) + ".</p>\n";
  }

  void reasons() {
    const std::vector<ReasonGroup> groups = grouped_reasons(document_);
    if (groups.empty()) return;
    out_ += std::string("<h2>") + (document_.verdict.outcome == "passed" ? "Remarks" : "What went wrong") +
            "</h2>\n";
    for (const ReasonGroup& group : groups) {
      out_ += "<p><strong>" + html_text(group.code) + "</strong>" +
              (group.next.empty() ? "" : ": " + html_text(group.next)) + "</p>\n<ul>\n";
      for (const VerdictReason* reason : group.lines) {
        out_ += "<li>" +
                (reason->subject.empty() ? "" : "<code>" + html_text(reason->subject) + "</code>: ") +
                html_text(reason->text);
        if (const std::string place = to_text(reason->position); !place.empty())
          out_ += " <span class=\"dim\">(" + html_text(place) + ")</span>";
        out_ += "</li>\n";
      }
      out_ += "</ul>\n";
    }
  }

  void results() {
    if (document_.cases.empty()) return;
    std::set<std::string> outcomes;
    for (const Case& one : document_.cases) outcomes.insert(outcome_text(one.outcome));
    out_ += "<h2>Results</h2>\n" + html_table_tools("Outcome", outcomes) +
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Results\">\n"
            "<table id=\"results\"><thead><tr>";
    out_ += html_sorting_heads({"case", "metric"}, false) +
            html_sorting_heads({"value", "95 % interval", "to reference", "of peak"}, true) +
            html_sorting_heads({"limit", "outcome"}, false);
    out_ += "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < document_.cases.size(); ++i) result(document_.cases[i], i);
    out_ += "</tbody></table>\n</div>\n";
    groups();
  }

  void result(const Case& one, std::size_t number) {
    const Metric* metric = one.has_values() ? one.headline() : nullptr;
    const bool any = metric != nullptr && metric->value;
    out_ += "<tr data-outcome=\"" + html_text(outcome_text(one.outcome)) + "\"><td><a href=\"#c" +
            std::to_string(number) + "\">" + html_text(one.id) + "</a></td><td>" +
            (any ? html_text(metric->name) : "") + "</td>";
    const std::optional<Interval> interval = any ? metric->interval : std::nullopt;
    out_ += html_number_cell(any ? metric->value : std::nullopt,
                             any ? quantity(*metric->value, metric->unit, half_width(*metric)) : "");
    std::string beside;
    if (interval)
      beside = reporters::interval(*metric->value, interval->low, interval->high,
                                   scale_for(metric->unit, *metric->value));
    if (any && !interval) beside = no_interval_words(*metric);
    if (interval && interval->kind == kWithinProcess) beside += " (one run)";
    out_ += html_number_cell(interval ? std::optional(interval->half_width() / *metric->value) : std::nullopt,
                             beside);
    const bool compared = any && metric->delta && metric->delta->ratio;
    out_ +=
        html_number_cell(compared ? metric->delta->ratio : std::nullopt,
                         compared ? change(*metric->delta->ratio) +
                                        (metric->delta->verdict.empty() ? "" : ", " + metric->delta->verdict)
                                  : "");
    const bool has_peak = any && metric->peak && metric->peak->share;
    out_ += html_number_cell(has_peak ? metric->peak->share : std::nullopt,
                             has_peak ? percent(*metric->peak->share) : "");
    std::vector<std::string> limits;
    for (const Expectation& expectation : one.expectations)
      limits.push_back(expectation.text + (expectation.status == "passed" ? "" : ": " + expectation.status));
    const model::Mark* const mark = mark_of(one, common_marks_);
    out_ += "<td>" + html_text(join(limits, "; ")) + "</td><td><span class=\"" + tone_of(one.outcome) +
            "\">" + html_text(outcome_text(one.outcome)) + "</span>" +
            (one.undecided() ? ", <span class=\"warn\">undecided</span>" : "") +
            (mark == nullptr ? "" : " <span class=\"warn\">" + html_text(mark_text(mark)) + "</span>") +
            "</td></tr>\n";
  }

  void groups() {
    if (document_.groups.empty()) return;
    out_ +=
        "<h3>Checks over several cases</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Checks over several cases\"><table><thead><tr>"
        "<th scope=\"col\">check</th><th scope=\"col\" class=\"n\">value</th><th scope=\"col\">limit</th><th scope=\"col\">status</th></tr></thead>\n<tbody>\n";
    for (const Group& group : document_.groups) {
      out_ += "<tr><td>" + html_text(group.id) + "</td><td class=\"n\">" + html_text(group_value(group)) +
              "</td><td>" + html_text(group_limit(group)) + "</td><td><span class=\"" +
              (group.status == "passed" ? "good" : "bad") + "\">" + html_text(group.status) + "</span>" +
              (group.why.empty() ? "" : " " + html_text(group.why)) + "</td></tr>\n";
    }
    out_ += "</tbody></table></div>\n";
  }

  void cases() {
    if (document_.cases.empty()) return;
    out_ += "<h2>Each case</h2>\n";
    if (document_.cases.size() > kMostPictures)
      out_ += "<p class=\"dim\">Samples are drawn of the first " + std::to_string(kMostPictures) +
              " cases; result.json has all.</p>\n";
    for (std::size_t i = 0; i < document_.cases.size(); ++i)
      out_ += html_case(document_.cases[i], i, i < kMostPictures);
  }

  void pair(const std::string& name, const std::string& value) {
    if (!value.empty())
      out_ += "<tr><th scope=\"row\">" + html_text(name) + "</th><td>" + html_text(value) + "</td></tr>\n";
  }

  void system() {
    const Run& run = document_.run;
    out_ +=
        "<h2>System</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"System\"><table><tbody>\n";
    const auto host = model::read_leniently<Host>(run.host);
    pair("host", host.hostname);
    pair("OS", host.os);
    pair("kernel", host.kernel);
    pair("CPU", host.cpu);
    if (host.threads > 0) pair("threads", std::to_string(host.threads));
    if (host.memory_bytes > 0) pair("memory", quantity(host.memory_bytes, "B"));
    for (const Backend& backend : run.backends) {
      if (!backend.unavailable.empty()) pair(backend.name, "not available: " + backend.unavailable);
      for (const auto& [name, value] : scalars(backend.facts)) pair(backend.name + " " + name, value);
      for (const Device& device : backend.devices)
        pair(device.name, device.model + (device.uuid.empty() ? "" : ", " + device.uuid));
    }
    for (const auto& [name, value] : scalars(run.environment)) pair(name, value);
    for (const model::Plugin& each : run.plugins) pair(each.id, each.version);
    pair("run", run.id);
    pair("verdict", verdict_word(document_) + ": " + tally_text(document_));
    pair("exit code", std::to_string(document_.verdict.exit_code));
    out_ += "</tbody></table></div>\n";
  }

  void replicate() {
    const Replication again = replication(document_);
    if (again.command.empty()) return;
    out_ += "<h2>Replicate</h2>\n<pre>" + html_text(one_line(again.command)) + "</pre>\n";
    for (const auto& [file, text] : again.files)
      out_ += "<details><summary>The suite " + html_text(file) + " as it was run</summary><pre>" +
              xml_text(text) + "</pre></details>\n";
  }

  const Document& document_;
  const std::vector<CommonMark> common_marks_ = common_marks(document_);  // said once for the run
  std::string out_;
};

}  // namespace

std::string render_html(const Document& document) { return PageWriter(document).write(); }

}  // namespace assay::reporters
