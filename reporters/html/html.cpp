// SPDX-License-Identifier: Apache-2.0
#include "html/html.hpp"

#include "html/page.hpp"
#include "html/page_parts.hpp"
#include "html/results.hpp"
#include "html/table.hpp"
#include "html/tables.hpp"
#include "lib/acceptance.hpp"
#include "lib/answer.hpp"
#include "lib/escape.hpp"
#include "lib/numbers.hpp"
#include "lib/reason_groups.hpp"
#include "lib/replicate.hpp"
#include "lib/text.hpp"
#include "lib/unknown_peaks.hpp"
#include "lib/wording.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostPictures = 400;  // cases whose samples are drawn; more would not open quickly

class PageWriter {
 public:
  explicit PageWriter(const Document& document) : document_(document) {}

  std::string write() {
    top();
    const bool passed = document_.verdict.outcome == RunOutcome::passed;
    if (!passed) reasons();
    out_ += html_findings(document_);
    out_ += html_tables(document_);
    out_ += html_diagnoses(document_);
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
    const std::string answers = what_was_found(document_);
    // Of an acceptance the verdict is what is asked for; of a study the answers are.
    const bool leads = !answers.empty() && document_.findings.empty();
    if (!answers.empty())
      out_ += "<p class=\"verdict\">" + (leads ? word() + ". " : "") + "<strong>" + html_text(answers) +
              "</strong></p>\n";
    if (answers.empty() || document_.verdict.outcome != RunOutcome::passed)
      out_ += "<p class=\"verdict\">" + (leads ? "" : word() + ": ") +
              html_text(leads ? capitalised(tally_text(document_)) : tally_text(document_)) + ".</p>\n";
    if (const std::vector<std::string> acts = what_to_do(document_); !acts.empty()) {
      out_ += "<p>What to do:</p>\n<ul>\n";
      for (const std::string& act : acts) out_ += "<li>" + html_act(act) + "</li>\n";
      out_ += "</ul>\n";
    }
    for (const auto& devices : document_.verdict.devices) out_ += "<p>" + html_text(devices.text) + ".</p>\n";
    for (const std::string& note : run_notes(document_))
      out_ += "<p class=\"warn\">" + html_sentence(capitalised(note)) + ".</p>\n";
    std::vector<std::string> parts = system_parts(document_);
    parts.push_back(minute_text(run.started_at));
    const std::string took = duration(run.duration_s.value_or(0));
    out_ += "<p class=\"dim\">" + html_text(join(parts, " · ")) + " · " + html_whole(took) + "</p>\n";
  }

  [[nodiscard]] std::string word() const {
    const bool good = document_.verdict.outcome == RunOutcome::passed;
    return "<strong class=\"" + std::string(good ? "good" : "bad") + "\">" +
           html_text(verdict_word(document_)) + "</strong>";
  }

  void reasons() {
    const std::vector<ReasonGroup> groups = grouped_reasons(document_);
    if (groups.empty()) return;
    out_ += std::string("<h2>") +
            (document_.verdict.outcome == RunOutcome::passed ? "Remarks" : "What went wrong") + "</h2>\n";
    for (const ReasonGroup& group : groups) {
      out_ += "<ul>\n";
      for (const ReasonLine& reason : group.lines) {
        out_ += "<li>" + (reason.subject.empty() ? "" : "<code>" + html_id(reason.subject) + "</code>: ") +
                html_sentence(reason.text);
        if (const std::string place = group.place_of(reason); !place.empty())
          out_ += " <span class=\"dim\">(" + html_text(place) + ")</span>";
        out_ += "</li>\n";
      }
      out_ += "</ul>\n<p>" + (group.next.empty() ? "" : "→ " + html_sentence(group.next) + " ") + "<code>[" +
              html_text(group.code) + "]</code>" +
              (group.places.empty() ? "" : " <span class=\"dim\">(" + html_text(group.places) + ")</span>") +
              "</p>\n";
    }
  }

  void results() {
    if (document_.cases.empty()) return;
    out_ += "<h2>Results</h2>\n" + html_variants(document_) + html_results(document_) +
            html_group_checks(document_);
    if (const std::string unknown = unknown_peaks(document_); !unknown.empty())
      out_ += "<p class=\"dim\">" + html_text(unknown) + ".</p>\n";
  }

  void cases() {
    if (document_.cases.empty()) return;
    out_ += "<h2 class=\"cases\">Each case</h2>\n";
    if (document_.cases.size() > kMostPictures)
      out_ += "<p class=\"dim\">Samples are drawn of the first " + std::to_string(kMostPictures) +
              " cases; result.json has all.</p>\n";
    CaseParts parts;
    parts.parsed_when_opened = document_.cases.size() > kMostParsedAtOnce;
    std::vector<std::string> all;
    for (std::size_t i = 0; i < document_.cases.size(); ++i) {
      parts.pictures = i < kMostPictures;
      all.push_back(html_case(document_.cases[i], i, parts));
    }
    out_ += parts.parsed_when_opened ? "<div>" + html_kept(all) + "</div>\n" : join(all, "");
  }

  void system() {
    const Run& run = document_.run;
    std::vector<HtmlPair> pairs;
    const auto pair = [&](const std::string& name, const std::string& value) {
      pairs.push_back({name, {value}});
    };
    const auto host = model::host_of(run);
    pair("host", host.hostname);
    pair("OS", host.os);
    pair("kernel", host.kernel);
    pair("CPU", host.cpu);
    if (host.threads > 0) pair("threads", std::to_string(host.threads));
    if (host.memory_bytes > 0) pair("memory", quantity(host.memory_bytes, "B"));
    for (const Backend& backend : run.backends) {
      if (!backend.unavailable.empty()) pair(backend.name, "not available: " + backend.unavailable);
      for (const auto& [name, value] : scalars(backend.facts))
        pair(backend.name + " " + (name == backend.name ? "version" : name), value);
      for (const Device& device : backend.devices)
        pair(device.name, device.model + (device.uuid.empty() ? "" : ", " + device.uuid));
    }
    for (const auto& [name, value] : scalars(run.environment)) pair(name, value);
    for (const model::Plugin& each : run.plugins) pair(each.id, each.version);
    pair("run", run.id);
    pair("verdict", verdict_word(document_) + ": " + tally_text(document_));
    pair("exit code", std::to_string(document_.verdict.exit_code));
    out_ += "<h2>System</h2>\n" + html_pairs("System", pairs);
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
  std::string out_;
};

}  // namespace

std::string render_html(const Document& document) { return PageWriter(document).write(); }

}  // namespace assay::reporters
