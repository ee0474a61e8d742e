// SPDX-License-Identifier: Apache-2.0
#include "lib/wording.hpp"

#include "lib/marks.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::reporters {
namespace {

struct KnownFact {
  const char* key;
  std::string_view shown;
};
constexpr std::array<KnownFact, 7> kSoftware{{{"driver", "driver"},
                                              {"driver_version", "driver"},
                                              {"cuda", "CUDA"},
                                              {"cuda_version", "CUDA"},
                                              {"cuda_runtime", "CUDA"},
                                              {"nccl", "NCCL"},
                                              {"nccl_version", "NCCL"}}};

// Devices by model, in order: "4 × NVIDIA H200".
std::vector<std::string> models(const Backend& backend) {
  std::vector<std::pair<std::string, std::size_t>> counted;
  for (const Device& device : backend.devices) {
    const std::string model = one_line(device.model.empty() ? backend.name + " device" : device.model);
    ++entry_of(counted, model);
  }
  std::vector<std::string> out;
  for (const auto& [model, count] : counted) out.push_back(std::to_string(count) + " × " + model);
  return out;
}

// What was counted where group checks are among it: a table shows a row for each case, and none for a check
// that passed.
std::string kinds(std::size_t count, std::size_t groups) {
  if (groups == 0) return "";
  const std::string checks = count_of(groups, "group check");
  return groups == count ? " (" + checks + ")"
                         : " (" + count_of(count - groups, "case") + ", " + checks + ")";
}

bool is_wrapped(const Document& document) {
  return document.run.mode.wrap && !document.run.mode.wrap->empty();
}

// Another statistic than the others' is never used in silence.
std::string slopes_text(const Document& document) {
  std::vector<std::string> ids;
  for (const Case& one : document.cases)
    if (std::any_of(one.metrics.begin(), one.metrics.end(),
                    [](const Metric& metric) { return metric.statistic == "slope"; }))
      ids.push_back(one_line(one.id));
  if (ids.empty()) return {};
  const std::string who = ids.size() == 1
                              ? ids.front()
                              : std::to_string(ids.size()) + " of " +
                                    count_of(document.cases.size(), "case") + ", for instance " + ids.front();
  return "rates by the slope, of the time that grows with iterations: " + who +
         "; more than 5 % of a sample is a start or a wait";
}

// Without the probability: it is of rows by themselves, and rounds that move all rows by chance are in order more often.
std::string trend_text(const model::RoundTrend& trend) {
  return std::string("rows became ") + (trend.change > 0 ? "slower" : "faster") +
         " from round to round: the median of " + count_of(trend.rows, "row") + " by " +
         percent(std::fabs(trend.change)) + " from the first to the last, more than their scatter explains";
}

// "since 13:15 UTC" for "since 2026-11-26T13:15:55Z" of the day on which the run began; of another day with its date.
std::string with_short_time(std::string text, const std::string& since, std::string_view started_at) {
  const std::size_t at = since.empty() ? std::string::npos : text.find(since);
  if (at == std::string::npos) return text;
  constexpr std::size_t kDate = std::string_view("2026-11-26").size();
  std::string minute = minute_text(since);
  if (minute != since && started_at.substr(0, kDate) == since.substr(0, kDate))
    minute = minute.substr(kDate + 1);
  return text.replace(at, since.size(), minute);
}

}  // namespace

std::string verdict_word(const Document& document) {
  switch (document.verdict.outcome) {
    case RunOutcome::passed:
      return "PASS";
    case RunOutcome::failed:
      return "FAIL";
    case RunOutcome::error:
      return "ERROR";
    case RunOutcome::interrupted:
      return "INTERRUPTED";
    case RunOutcome::unmet:
      return "UNMET";
    case RunOutcome::nothing_ran:
      return "NOTHING RAN";
    case RunOutcome::other:
      break;
  }
  return "UNKNOWN";
}

std::size_t Tally::of(Outcome outcome) const {
  const auto index = static_cast<std::size_t>(outcome);
  return cases[index] + groups[index];
}

Tally tally(const Document& document) {
  Tally out;
  for (const Case& one : document.cases) ++out.cases[static_cast<std::size_t>(one.outcome)];
  for (const Group& group : document.groups) ++out.groups[static_cast<std::size_t>(group.outcome)];
  out.total = document.cases.size() + document.groups.size();
  return out;
}

std::string tally_text(const Document& document) {
  // Under --wrap nothing is judged: what was measured has not passed anything.
  const std::string passed_word = is_wrapped(document) ? " measured, not judged" : " passed";
  const Tally counts = tally(document);
  if (counts.total == 0) return "nothing to run";
  std::vector<std::string> parts;
  const std::size_t skipped_checks = counts.groups[static_cast<std::size_t>(Outcome::skipped)];
  if (skipped_checks > 0 && counts.of(Outcome::passed) + skipped_checks == counts.total) {
    // Every case passed; what would be compared has one member.
    const std::size_t passed = counts.of(Outcome::passed);
    parts.push_back(std::to_string(passed) + passed_word +
                    kinds(passed, counts.groups[static_cast<std::size_t>(Outcome::passed)]));
    parts.push_back(count_of(skipped_checks, "group check") + " skipped");
    if (document.verdict.undecided > 0)
      parts.push_back(count_of(document.verdict.undecided, "expectation") + " undecided");
    return join(parts, ", ");
  }
  std::vector<Outcome> order{Outcome::failed,  Outcome::crashed, Outcome::error,
                             Outcome::timeout, Outcome::invalid, Outcome::cancelled,
                             Outcome::not_run, Outcome::skipped, Outcome::other};
  // Where something failed, that is what the reader wants to know first.
  const bool some_passed =
      document.verdict.outcome == RunOutcome::passed && counts.of(Outcome::passed) < counts.total;
  if (document.verdict.outcome == RunOutcome::interrupted || some_passed)
    order.insert(order.begin(), Outcome::passed);
  for (const Outcome outcome : order) {
    const std::size_t count = counts.of(outcome);
    if (count == 0) continue;
    std::string part = std::to_string(count);
    if (parts.empty()) part += " of " + std::to_string(counts.total);
    part += (outcome == Outcome::passed ? passed_word : " " + outcome_text(outcome)) +
            kinds(count, counts.groups[static_cast<std::size_t>(outcome)]);
    parts.push_back(std::move(part));
  }
  if (parts.empty())
    parts.push_back(std::to_string(counts.total) + passed_word + kinds(counts.total, document.groups.size()));
  if (document.verdict.undecided > 0)
    parts.push_back(count_of(document.verdict.undecided, "expectation") + " undecided");
  return join(parts, ", ");
}

bool has_open_verdicts(const Document& document) {
  if (document.run.mode.quick || document.run.judged_by) return false;
  const auto can_be_decided = [](const model::FindingRow& row) {
    return row.more_rounds.value_or(0) > 0 && is_open(row.verdict);
  };
  return document.verdict.undecided > 0 ||
         std::any_of(document.findings.begin(), document.findings.end(), [&](const Finding& finding) {
           return std::any_of(finding.rows.begin(), finding.rows.end(), can_be_decided);
         });
}

std::vector<std::string> run_notes(const Document& document) {
  std::vector<std::string> out;
  const Run& run = document.run;
  if (run.mode.quick)
    out.emplace_back("quick run: one round of 20 samples, wide intervals, no findings, never a baseline");
  if (run.mode.simulated) out.emplace_back("simulated clock: these are not measurements");
  if (is_wrapped(document)) out.push_back("run under '" + one_line(*run.mode.wrap) + "': shown, not judged");
  if (run.mode.resumed) out.emplace_back("resumed: parts were measured at different times");
  if (!run.mode.extended.empty())
    out.push_back("extended after open verdicts had been seen, " +
                  count_of(run.mode.extended.size(), "time") + ": " +
                  count_of(run.mode.extended.back().cases, "case") +
                  " last; they are decided by wider intervals, so that having looked misleads no more often");
  if (run.mode.failed_of) {
    out.push_back("again what did not pass in run " + one_line(run.mode.failed_of->run) +
                  ", with what is judged together with it: " + std::to_string(document.cases.size()) +
                  " of its " + count_of(run.mode.failed_of->cases, "case"));
  }
  if (run.judged_by) {
    const bool asks_more = run.judged_by->post_hoc > 0;
    out.push_back("judged afterwards by '" + one_line(run.judged_by->file) + "'" +
                  (asks_more ? ": " +
                                   count_of(run.judged_by->post_hoc, "expectation or finding",
                                            "expectations and findings") +
                                   " asked post hoc, when the figures were known"
                             : ", which asks nothing that the run's own suite did not"));
  }
  if (!run.others_unseen.empty())
    out.push_back("other runs on these processors could not be seen: " + one_line(run.others_unseen));
  if (!run.beside.empty()) {
    const model::OtherRun& first = run.beside.front();
    const std::size_t more = run.beside.size() - 1;
    out.push_back((more == 0 ? "another run" : "other runs") +
                  std::string(" might have used the same processors meanwhile: ") +
                  with_short_time(one_line(first.text), first.since, run.started_at) +
                  (more == 0 ? std::string() : ", and " + std::to_string(more) + " more"));
  }
  for (const CommonMark& common : common_marks(document))
    out.push_back(mark_text(common.mark) + ": " + std::to_string(common.cases) + " of " +
                  count_of(common.of, "case") + (common.same ? "; " : ", for instance ") + common.text +
                  (common.mark->code == "disturbed" ? "; this is not what the machine reaches" : ""));
  if (run.trend) out.push_back(trend_text(*run.trend));
  if (const std::string slopes = slopes_text(document); !slopes.empty()) out.push_back(slopes);
  if (run.mode.strict) out.emplace_back("strict: undecided and skipped count as failures");
  return out;
}

std::vector<std::string> system_parts(const Document& document) {
  const Run& run = document.run;
  const auto host = model::host_of(run);
  std::vector<std::string> out;
  if (!host.hostname.empty()) out.push_back(one_line(host.hostname));
  bool device = false;
  for (const Backend& backend : run.backends) {
    if (backend.name == "host" || backend.devices.empty()) continue;
    device = true;
    for (std::string& model : models(backend)) out.push_back(std::move(model));
    std::string_view last;
    for (const KnownFact& known : kSoftware) {
      const std::string fact = scalar(backend.facts, known.key);
      if (fact.empty() || known.shown == last) continue;
      last = known.shown;
      out.push_back(std::string(known.shown) + " " + one_line(fact));
    }
  }
  if (!device) {
    if (!host.cpu.empty()) out.push_back(one_line(host.cpu));
    if (host.cores > 0) out.push_back(count_of(host.cores, "core"));
    if (host.memory_bytes > 0) out.push_back(quantity(host.memory_bytes, "B"));
  }
  return out;
}

std::string minute_text(std::string_view timestamp) {
  if (timestamp.size() < 17 || timestamp[10] != 'T' || timestamp.back() != 'Z') return one_line(timestamp);
  return std::string(timestamp.substr(0, 10)) + " " + std::string(timestamp.substr(11, 5)) + " UTC";
}

}  // namespace assay::reporters
