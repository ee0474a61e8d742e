// SPDX-License-Identifier: Apache-2.0
#include "markdown/markdown.hpp"

#include "lib/acceptance.hpp"
#include "lib/answer.hpp"
#include "lib/escape.hpp"
#include "lib/finding_texts.hpp"
#include "lib/numbers.hpp"
#include "lib/pivot.hpp"
#include "lib/reason_groups.hpp"
#include "lib/replicate.hpp"
#include "lib/row_texts.hpp"
#include "lib/wording.hpp"
#include "markdown/findings.hpp"
#include "markdown/flags.hpp"
#include "markdown/page.hpp"
#include "markdown/results.hpp"
#include "markdown/tables.hpp"
#include "text/fact_text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kLogLines = 40, kLogBytes = 6000;
constexpr std::size_t kShortList = 10;
constexpr std::size_t kMostCommands = 8;  // that are not folded away

std::string title_word(const Document& document) {
  if (document.verdict.outcome == RunOutcome::passed)
    return document.findings.empty() ? "passed" : "findings";
  if (document.verdict.outcome == RunOutcome::failed) return "failed";
  return lower_case(verdict_word(document));
}

std::string shown_fact(const Json& facts, const std::string& key) {
  const auto found = facts.find(key);
  const bool is_number = found != facts.end() && found->is_number();
  const std::string text = is_number ? fact_text(key, found->get<double>()) : std::string();
  return text.empty() ? scalar(facts, key.c_str()) : text;
}

class Report {
 public:
  Report(const Document& document, const MarkdownOptions& options, Detail detail, PictureFiles* pictures)
      : document_(document), page_(options, detail, pictures) {}

  std::string write() {
    top();
    const bool passed = document_.verdict.outcome == RunOutcome::passed;
    if (!passed) reasons();
    write_findings(document_, page_);
    if (page_.keeps(Detail::no_system)) write_tables(document_, page_);
    write_diagnoses(document_, page_);
    if (page_.keeps(Detail::short_lists)) write_results(document_, page_);
    if (passed) reasons();
    if (page_.keeps(Detail::short_lists)) {
      write_flags(document_, page_);
      guards();
    }
    if (!is_cut()) verdict();
    if (page_.keeps(Detail::not_passing_only)) system();
    replicate();
    footnote();
    return page_.text();
  }

 private:
  // What was found, what to do, and what limits it. Counts stand at the end, unless they are all there is to say or
  // something went wrong.
  void top() {
    const Run& run = document_.run;
    page_.heading(1, markdown_text(run.suite) + ": " + title_word(document_));
    const std::string answers = what_was_found(document_);
    if (!answers.empty()) page_.block("**" + markdown_text(answers) + "**");
    if (is_cut())
      page_.block(counts());
    else if (answers.empty() || document_.verdict.outcome != RunOutcome::passed)
      page_.block("**" + verdict_word(document_) + "**: " + tally_text(document_) + ".");
    if (const std::vector<std::string> acts = what_to_do(document_); !acts.empty()) {
      std::string list;
      for (const std::string& act : acts)
        list += "- " + std::string(is_sentence(act) ? markdown_sentence(act) : markdown_code(act)) + "\n";
      page_.block("What to do:");
      page_.block(list);
    }
    for (const auto& devices : document_.verdict.devices) page_.block(markdown_sentence(devices.text) + ".");
    std::vector<std::string> parts = system_parts(document_);
    parts.push_back(minute_text(run.started_at));
    parts.push_back(duration(run.duration_s.value_or(0)));
    page_.block(markdown_text(join(parts, " · ")));
    page_.block(markdown_text(run.description));
    for (const std::string& note : run_notes(document_)) page_.remark(markdown_text(capitalised(note)) + ".");
    if (!page_.keeps(Detail::everything)) {
      page_.remark("Shortened to keep its size limit; everything is in result.json.");
    }
  }

  // How the run ended, for those who look for its counts.
  void verdict() {
    page_.heading(2, "Verdict");
    page_.block(counts());
  }

  [[nodiscard]] std::string counts() const {
    return "**" + verdict_word(document_) + "**: " + tally_text(document_) + ". Exit code " +
           std::to_string(document_.verdict.exit_code) + ".";
  }

  // So short that its end may be cut off: how the run ended then stands at the top.
  [[nodiscard]] bool is_cut() const { return !page_.keeps(Detail::no_system); }

  void reasons() {
    const std::vector<ReasonGroup> groups = grouped_reasons(document_);
    if (groups.empty()) return;
    page_.heading(2, document_.verdict.outcome == RunOutcome::passed ? "Remarks" : "What went wrong");
    for (const ReasonGroup& group : groups) {
      std::string list;
      std::size_t printed = 0;
      for (const ReasonLine& reason : group.lines) {
        if (!page_.keeps(Detail::no_system) && printed == (page_.keeps(Detail::short_lists) ? kShortList : 1))
          break;
        ++printed;
        std::string line = "- " + markdown_code(reason.subject) + (reason.subject.empty() ? "" : ": ") +
                           markdown_sentence(reason.text);
        if (const std::string place = group.place_of(reason); !place.empty())
          line += " (" + markdown_code(place) + ")";
        list += line + "\n";
      }
      if (printed < group.lines.size())
        list += "- … " + std::to_string(group.lines.size() - printed) + " more\n";
      page_.block(list);
      page_.block((group.next.empty() ? "" : "→ " + markdown_sentence(group.next) + " ") + "[" +
                  markdown_code(group.code) + "]" +
                  (group.places.empty() ? "" : " (" + markdown_code(group.places) + ")"));
    }
    if (page_.keeps(Detail::not_passing_only)) evidence();
  }

  // Logs and commands of what did not pass.
  void evidence() {
    std::string commands;
    for (const Case& one : document_.cases) {
      if (one.outcome == Outcome::passed || one.outcome == Outcome::skipped) continue;
      if (!one.reproduce.empty() && one.outcome != Outcome::not_run && one.outcome != Outcome::cancelled)
        commands += one_line(one.reproduce) + "\n";
      const std::size_t lines = page_.keeps(Detail::everything) ? kLogLines : 10;
      if (!one.log.empty()) fold_text("Log of " + one.id, last_lines(one.log, lines, kLogBytes));
      if (!one.diagnostics.empty()) {
        fold_text("What " + one.id + " measured all the same, not a result",
                  last_lines(diagnostics_text(one), lines, kLogBytes));
      }
    }
    if (commands.empty()) return;
    const auto count = static_cast<std::size_t>(std::count(commands.begin(), commands.end(), '\n'));
    const bool fold = count > kMostCommands;
    if (fold)
      page_.begin_fold("Each alone, again: " + count_of(count, "command"));
    else
      page_.block("Each alone, again:");
    page_.block(markdown_block(commands, "sh"));
    if (fold) page_.end_fold();
  }

  void fold_text(const std::string& summary, const std::string& text) {
    page_.begin_fold(summary);
    page_.block(markdown_block(text));
    page_.end_fold();
  }

  void guards() {
    if (document_.guards.empty() && is_cut()) return;
    page_.heading(2, "Plausibility checks");
    if (document_.guards.empty()) {
      page_.block(
          "None failed. Assay checks that no rate is above its device's peak, that times grow with the work and "
          "that clocks agree.");
      return;
    }
    std::vector<std::vector<std::string>> rows;
    for (const Guard& guard : document_.guards) {
      rows.push_back({markdown_text(guard.code), markdown_text(guard.severity),
                      markdown_cell_code(guard.subject), markdown_cell_sentence(guard.text)});
    }
    page_.table({"guard", "severity", "subject", "seen"}, rows);
  }

  void system() {
    const Run& run = document_.run;
    const auto host = model::host_of(run);
    page_.heading(2, "System");
    std::vector<std::vector<std::string>> facts;
    const auto add = [&](const std::string& name, const std::string& value) {
      if (!value.empty()) facts.push_back({name, markdown_text(value)});
    };
    add("host", host.hostname);
    add("OS, kernel", join({host.os, host.kernel}, ", "));
    add("CPU", host.cpu + (host.sockets > 1 ? ", " + count_of(host.sockets, "socket") : "") +
                   (host.cores > 0 ? ", " + count_of(host.cores, "core") : "") +
                   (host.threads > host.cores ? ", " + count_of(host.threads, "thread") : ""));
    if (host.memory_bytes > 0) add("memory", quantity(host.memory_bytes, "B"));
    std::vector<std::string> nodes;
    for (const model::NumaNode& node : host.numa_nodes) {
      nodes.push_back("node " + std::to_string(node.node) + ": CPUs " + node.cpus + ", " +
                      quantity(node.memory_bytes, "B"));
    }
    add("NUMA", join(nodes, "; "));
    add("governor", host.governor);
    add("virtualization", host.virtualization);
    add("container", host.container);
    for (const Backend& backend : run.backends) {
      if (!backend.unavailable.empty())
        add(markdown_text(backend.name), "not available: " + backend.unavailable);
      for (const auto& [name, value] : scalars(backend.facts))
        add(markdown_text(backend.name + " " + (name == backend.name ? "version" : name)), value);
    }
    for (const auto& [name, value] : scalars(run.environment))
      facts.push_back({markdown_cell_code(name), markdown_cell_code(value)});
    std::vector<std::string> plugins;
    for (const model::Plugin& each : run.plugins) plugins.push_back(each.id + " " + each.version);
    add("plugins", join(plugins, ", "));
    page_.table({"", ""}, facts);
    if (!page_.keeps(Detail::no_details)) return;
    for (const Backend& backend : run.backends) devices(backend);
  }

  void devices(const Backend& backend) {
    if (backend.devices.empty() || (backend.name == "host" && backend.devices.size() == 1)) return;
    std::vector<std::string> keys;
    for (const Device& device : backend.devices)
      for (const auto& [key, value] : scalars(device.facts)) add_once(keys, key);
    // A column a device: there are more facts than devices.
    std::vector<std::string> head{""};
    for (const Device& device : backend.devices) head.push_back(markdown_text(device.name));
    std::vector<std::vector<std::string>> rows;
    const auto add = [&](const std::string& name, const auto& text_of) {
      rows.push_back({name});
      for (const Device& device : backend.devices) {
        const std::string text = text_of(device);
        rows.back().push_back(text.empty() ? "–" : markdown_text(text));
      }
    };
    add("model", [](const Device& device) { return device.model; });
    add("uuid", [](const Device& device) { return device.uuid; });
    add("NUMA node", [](const Device& device) {
      return device.numa_node < 0 ? std::string() : std::to_string(device.numa_node);
    });
    for (const std::string& key : keys)
      add(markdown_text(fact_name(key)), [&](const Device& device) { return shown_fact(device.facts, key); });
    page_.begin_fold(count_of(backend.devices.size(), backend.name + " device"));
    page_.table(head, rows);
    page_.end_fold();
  }

  void replicate() {
    const Run& run = document_.run;
    const Replication again = replication(document_);
    if (again.command.empty()) return;
    page_.heading(2, "Replicate");
    page_.block(markdown_block(one_line(again.command), "sh"));
    if (again.runs_files)
      page_.block("Save " +
                  std::string(again.files.size() > 1 ? "the suites below under their names"
                                                     : "the suite below under its name") +
                  ", and run this beside " + (again.files.size() > 1 ? "them." : "it."));
    std::string with = "assay " + scalar(run.tool, "version") +
                       (scalar(run.tool, "commit").empty() ? "" : " (" + scalar(run.tool, "commit") + ")");
    if (run.seed) with += ", seed " + std::to_string(*run.seed);
    if (!run.suite_file.empty()) with += ", " + run.suite_file;
    if (!run.suite_sha256.empty()) with += " (SHA-256 " + run.suite_sha256.substr(0, 12) + "…)";
    page_.block(markdown_text(with + ". The plan and " + kept_samples(document_) +
                              " are in result.json, run " + run.id) +
                ".");
    if (!page_.keeps(Detail::everything)) return;
    for (const auto& [file, text] : again.files) {
      page_.begin_fold("The suite " + file + " as it was run");
      page_.block(markdown_block(text, "yaml"));
      page_.end_fold();
    }
  }

  void footnote() {
    std::set<std::string> kinds;
    std::size_t rounds = 1;
    for (const Case& one : document_.cases) {
      for (const Metric& metric : one.metrics) {
        if (metric.interval) kinds.insert(metric.interval->kind);
        rounds = std::max(rounds, metric.rounds.size());
      }
    }
    if (kinds.empty()) return;
    std::string text;
    if (kinds.count("between_process") > 0) {
      text = "Intervals hold the value with 95 % confidence, over " + count_of(rounds, "round") +
             " of fresh processes, so that they cover what changes from run to run.";
    }
    if (kinds.count("within_process") > 0) {
      text += (text.empty() ? "" : " ") +
              std::string(
                  "*p5–p95*: nine in ten samples of fewer than three rounds lie there, which says nothing "
                  "of the next run; verdicts allow for that.");
    }
    page_.block("---");
    page_.block(text);
  }

  const Document& document_;
  Page page_;
};

// The last resort: whole blocks from the top, no heading without a text, and a word about the rest.
std::string cut(const std::string& text, std::size_t budget) {
  constexpr std::string_view kRest = "\n… cut to the size limit; everything is in result.json.\n";
  std::size_t end = text.rfind("\n\n", budget > kRest.size() ? budget - kRest.size() - 1 : 0);
  while (end != std::string::npos && end > 0) {
    const std::size_t begin = text.rfind("\n\n", end - 1);
    if (begin == std::string::npos || text[begin + 2] != '#') break;
    end = begin;
  }
  return text.substr(0, end == std::string::npos ? 0 : end + 1) + std::string(kRest);
}

}  // namespace

MarkdownOptions markdown_options(const OptionList& list) {
  OptionReader reader(list);
  MarkdownOptions out;
  const std::string flavor = reader.choice("flavor", "github", {"github", "gitlab", "plain"});
  out.flavor = flavor == "gitlab" ? Flavor::gitlab : flavor == "plain" ? Flavor::plain : Flavor::github;
  out.heading_base = static_cast<int>(reader.integer("heading_base", 1, 1, 4));
  out.budget = static_cast<std::size_t>(reader.integer("budget", 1'000'000, 1000, 1'000'000'000));
  out.charts = reader.boolean("charts", true);
  reader.finish();
  return out;
}

std::string render_markdown(const Document& document, const MarkdownOptions& options,
                            PictureFiles* pictures) {
  if (!options.charts) pictures = nullptr;
  std::string text;
  for (const Detail detail : {Detail::everything, Detail::no_details, Detail::not_passing_only,
                              Detail::no_system, Detail::short_lists, Detail::verdict}) {
    if (pictures != nullptr) pictures->clear();
    text = Report(document, options, detail, pictures).write();
    if (text.size() <= options.budget) return text;
  }
  if (pictures != nullptr) pictures->clear();
  return cut(text, options.budget);
}

}  // namespace assay::reporters
