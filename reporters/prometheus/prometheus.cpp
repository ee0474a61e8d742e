// SPDX-License-Identifier: Apache-2.0
#include "prometheus/prometheus.hpp"

#include "lib/epoch.hpp"
#include "lib/stable_name.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

// Clean text has no other control characters than these.
std::string label_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string words_of(std::string_view text) {
  std::string out;
  for (const char small : lower_case(text)) {
    const bool letter = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9');
    if (letter)
      out += small;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out.empty() ? "other" : out;
}

// "bytes_per_second", "seconds": a name's last word says the unit, in base units.
std::string unit_words(const std::string& unit) {
  static const std::map<std::string, std::string> kKnown{
      {"1", "ratio"}, {"s", "seconds"}, {"B", "bytes"},    {"FLOP", "flops"}, {"J", "joules"},
      {"W", "watts"}, {"Hz", "hertz"},  {"°C", "celsius"}, {"%", "percent"}};
  const auto word = [](const std::string& part) {
    const auto found = kKnown.find(part);
    return found == kKnown.end() ? words_of(part) : found->second;
  };
  const std::size_t slash = unit.find('/');
  if (slash == std::string::npos) return word(unit);
  const std::string below = unit.substr(slash + 1);
  return word(unit.substr(0, slash)) + "_per_" + (below == "s" ? "second" : words_of(below));
}

class Families {
 public:
  void add(const std::string& name, const std::string& help, const Labels& labels, double value) {
    auto* found = find_in(all_, [&](const Family& family) { return family.name == name; });
    if (found == nullptr) found = &all_.emplace_back(Family{name, help, {}});
    std::vector<std::string> parts;
    for (const auto& [key, text] : labels)
      if (!text.empty()) parts.push_back(std::string(key) + "=\"" + label_text(text) + "\"");
    found->lines += name + (parts.empty() ? "" : "{" + join(parts, ",") + "}") + " " + shortest(value) + "\n";
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    for (const Family& family : all_)
      out +=
          "# HELP " + family.name + " " + family.help + "\n# TYPE " + family.name + " gauge\n" + family.lines;
    return out;
  }

 private:
  struct Family {
    std::string name, help, lines;
  };
  std::vector<Family> all_;
};

void add_case(Families& out, const std::string& suite, const Case& one, const std::string& name) {
  const Labels labels{{"suite", suite}, {"case", name}, {"device", devices_text(one)}};
  if (one.outcome != Outcome::skipped) {
    Labels with = labels;
    with.emplace_back("outcome", std::string(to_text(one.outcome)));
    out.add("assay_case_passed", "1 if the case passed, 0 if it did not; skipped cases are left out.", with,
            one.outcome == Outcome::passed ? 1 : 0);
    out.add("assay_case_undecided", "1 if an expectation of the case could not be decided.", labels,
            one.undecided() ? 1 : 0);
    const auto flags =
        std::count_if(one.flags.begin(), one.flags.end(), [](const Flag& flag) { return !is_note(flag); });
    out.add("assay_case_warnings", "Flags of the case that ask for doubt or action.", labels,
            static_cast<double>(flags));
  }
  for (const Metric& metric : one.metrics) {
    if (!metric.value) continue;
    Labels of = labels;
    of.emplace_back("metric", one_line(metric.name));
    of.emplace_back("index", index_text(metric));
    const std::string unit = unit_words(metric.unit.base);
    const std::string said = " of a metric, in the unit " + words_of(unit) + ".";
    out.add("assay_metric_" + unit, "Value" + said, of, *metric.value);
    if (!metric.interval) continue;
    out.add("assay_metric_low_" + unit, "Lower end of the 95 % interval" + said, of, metric.interval->low);
    out.add("assay_metric_high_" + unit, "Upper end of the 95 % interval" + said, of, metric.interval->high);
  }
}

void add_run(Families& out, const Document& document, const std::string& suite) {
  const Run& run = document.run;
  const Labels labels{{"suite", suite}};
  out.add("assay_run_passed", "1 if the run passed, 0 if it did not.",
          {{"suite", suite}, {"outcome", std::string(to_text(document.verdict.outcome))}},
          document.verdict.outcome == RunOutcome::passed ? 1 : 0);
  out.add("assay_run_exit_code", "What assay ended with.", labels, document.verdict.exit_code);
  if (const auto begin = epoch_ms(run.started_at))
    out.add("assay_run_start_timestamp_seconds", "When the run began.", labels,
            static_cast<double>(*begin) / 1000);
  if (run.duration_s)
    out.add("assay_run_duration_seconds", "How long the run took.", labels, *run.duration_s);
}

}  // namespace

std::string render_prometheus(const Document& document) {
  const std::string suite = one_line(document.run.suite);
  Families out;
  add_run(out, document, suite);
  // The same series twice would refuse the whole file.
  const std::vector<std::string> names = unique_names(document);
  for (std::size_t i = 0; i < document.cases.size(); ++i) add_case(out, suite, document.cases[i], names[i]);
  std::map<std::string, int> seen;
  for (const Finding& finding : document.findings) {
    std::string id = one_line(finding.id);
    if (const int count = ++seen[id]; count > 1) id += "#" + std::to_string(count);
    out.add("assay_finding_confirmed", "1 if the finding's claim was confirmed.",
            {{"suite", suite}, {"finding", id}, {"verdict", std::string(to_text(finding.verdict))}},
            finding.verdict == FindingVerdict::confirmed ? 1 : 0);
  }
  return out.text();
}

}  // namespace assay::reporters
