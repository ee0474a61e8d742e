// SPDX-License-Identifier: Apache-2.0
#include "lib/phrases.hpp"

#include "lib/leading_row.hpp"
#include "lib/marks.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

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
    const auto same =
        std::find_if(counted.begin(), counted.end(), [&](const auto& entry) { return entry.first == model; });
    if (same == counted.end()) {
      counted.emplace_back(model, 1);
    } else {
      ++same->second;
    }
  }
  std::vector<std::string> out;
  for (const auto& [model, count] : counted) out.push_back(std::to_string(count) + " × " + model);
  return out;
}

// A claim with ">" expects a positive effect where it holds.
double expected_sign(const Finding& finding) {
  const double claimed = finding.claim.find('<') != std::string::npos ? -1 : 1;
  return finding.verdict == "refuted" ? -claimed : claimed;
}

// "1GiB" of "bytes=1GiB"; a label of several axes as it is.
std::string short_label(const std::string& label) {
  const std::size_t sign = label.find('=');
  const bool one_axis = sign != std::string::npos && label.find('=', sign + 1) == std::string::npos;
  return one_line(one_axis ? label.substr(sign + 1) : label);
}

// The size of the leading effect; with its sign only where that is not what the verdict suggests.
std::string effect_word(const Finding& finding) {
  const FindingRow* row = leading_row(finding);
  if (row == nullptr || !row->effect) return "an unknown effect";
  const std::optional<double> width =
      known(row->bounds) ? std::optional(row->bounds.half_width()) : std::nullopt;
  const bool as_expected = *row->effect * expected_sign(finding) > 0;
  std::string out = change(as_expected ? std::abs(*row->effect) : *row->effect, width);
  if (as_expected && out.front() == '+') out.erase(0, 1);
  if (as_expected && has_many_rows_of_one_verdict(finding)) return "at least " + out;
  if (finding.rows.size() > 1 && !row->label.empty()) out += " at " + short_label(row->label);
  return out;
}

std::string operand_text(const Operand& operand) {
  return operand.value ? quantity(*operand.value, operand.unit) : std::string("–");
}

std::string margin_text(double share) { return fixed(share * 100, share < 0.00995 ? 1 : 0) + " %"; }

// "−10 % at 64MiB": beside an interval, which has signs.
std::string signed_effect(const FindingRow& row, const Finding& finding) {
  const std::string out =
      change(*row.effect, known(row.bounds) ? std::optional(row.bounds.half_width()) : std::nullopt);
  return finding.rows.size() > 1 && !row.label.empty() ? out + " at " + short_label(row.label) : out;
}

std::optional<std::string> placeholder(std::string_view name, const Finding& finding, bool beside_interval) {
  const FindingRow* row = leading_row(finding);
  if (name == "effect" && beside_interval && row != nullptr && row->effect)
    return signed_effect(*row, finding);
  if (name == "effect") return effect_word(finding);
  if (name == "theta") return finding.theta ? margin_text(*finding.theta) : "–";
  if (row == nullptr) return std::nullopt;
  if (name == "interval")
    return known(row->bounds) ? change_interval(row->bounds.low, row->bounds.high) + " %" : "–";
  if (name == "rounds") return std::to_string(row->n);
  if (name == "left") return operand_text(row->left);
  if (name == "right") return operand_text(row->right);
  if (name == "at") return short_label(row->label);
  return std::nullopt;
}

// A number stands in the claim, and not in a selector's brackets: in documents of older versions nothing else
// tells that it is held against that.
bool names_a_number(const std::string& claim) {
  int depth = 0;
  char before = ' ';
  for (const char c : claim) {
    const auto is_word = [](char one) {
      return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') ||
             one == '_';
    };
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (depth == 0 && c >= '0' && c <= '9' && !is_word(before)) return true;
    before = c;
  }
  return false;
}

// "+290 %", with a decimal only where there is one.
std::string change_of_factor(double factor) {
  const double value = (factor - 1) * 100;
  const bool whole = std::abs(value - std::round(value)) < 1e-6;
  return (value > 0 ? "+" : "") + fixed(value, whole ? 0 : 1) + " %";
}

// What was counted where group checks are among it: a table shows a row for each case, and none for a check
// that passed.
std::string kinds(std::size_t count, std::size_t groups) {
  if (groups == 0) return "";
  const std::string checks = count_of(groups, "group check");
  return groups == count ? " (" + checks + ")"
                         : " (" + count_of(count - groups, "case") + ", " + checks + ")";
}

// ", 4 more rounds", where they should decide every row that is open.
std::string more_rounds_text(const Finding& finding) {
  if (finding.verdict != "undecided" && finding.verdict != "small") return {};
  std::uint64_t most = 0;
  for (const FindingRow& row : finding.rows) {
    if (row.verdict == "confirmed" || row.verdict == "refuted") continue;
    if (!row.more_rounds) return {};
    most = std::max(most, *row.more_rounds);
  }
  return most == 0 ? "" : ", " + count_of(most, "more round");
}

}  // namespace

std::string verdict_word(const Document& document) {
  static const std::map<std::string, std::string> kWords{{"passed", "PASS"}, {"failed", "FAIL"},
                                                         {"error", "ERROR"}, {"interrupted", "INTERRUPTED"},
                                                         {"unmet", "UNMET"}, {"nothing_ran", "NOTHING RAN"}};
  const auto found = kWords.find(document.verdict.outcome);
  return found == kWords.end() ? "UNKNOWN" : found->second;
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
  const Tally counts = tally(document);
  if (counts.total == 0) return "nothing to run";
  std::vector<std::string> parts;
  const std::size_t skipped_checks = counts.groups[static_cast<std::size_t>(Outcome::skipped)];
  if (skipped_checks > 0 && counts.of(Outcome::passed) + skipped_checks == counts.total) {
    // Every case passed; what would be compared has one member.
    const std::size_t passed = counts.of(Outcome::passed);
    parts.push_back(std::to_string(passed) + " passed" +
                    kinds(passed, counts.groups[static_cast<std::size_t>(Outcome::passed)]));
    parts.push_back(count_of(skipped_checks, "group check") + " skipped");
    if (document.verdict.undecided > 0)
      parts.push_back(count_of(document.verdict.undecided, "expectation") + " undecided");
    return join(parts, ", ");
  }
  std::vector<Outcome> order{Outcome::failed,  Outcome::crashed, Outcome::error,
                             Outcome::timeout, Outcome::invalid, Outcome::cancelled,
                             Outcome::not_run, Outcome::skipped, Outcome::other};
  if (document.verdict.outcome == "interrupted") order.insert(order.begin(), Outcome::passed);
  for (const Outcome outcome : order) {
    const std::size_t count = counts.of(outcome);
    if (count == 0) continue;
    std::string part = std::to_string(count);
    if (parts.empty()) part += " of " + std::to_string(counts.total);
    part += " " + outcome_text(outcome) + kinds(count, counts.groups[static_cast<std::size_t>(outcome)]);
    parts.push_back(std::move(part));
  }
  if (parts.empty())
    parts.push_back(std::to_string(counts.total) + " passed" + kinds(counts.total, document.groups.size()));
  if (document.verdict.undecided > 0)
    parts.push_back(count_of(document.verdict.undecided, "expectation") + " undecided");
  return join(parts, ", ");
}

std::vector<std::string> run_notes(const Document& document) {
  std::vector<std::string> out;
  const Run& run = document.run;
  if (run.mode.quick)
    out.emplace_back("quick run: one round of 20 samples, wide intervals, no findings, never a baseline");
  if (run.mode.simulated) out.emplace_back("simulated clock: these are not measurements");
  if (run.mode.wrap && !run.mode.wrap->empty())
    out.push_back("run under '" + one_line(*run.mode.wrap) + "': shown, not judged");
  if (run.mode.resumed) out.emplace_back("resumed: parts were measured at different times");
  if (run.mode.failed_of) {
    out.push_back("again what did not pass in run " + one_line(run.mode.failed_of->run) +
                  ", with what is judged together with it: " + std::to_string(document.cases.size()) +
                  " of its " + count_of(run.mode.failed_of->cases, "case"));
  }
  if (run.judged_by) {
    out.push_back("judged afterwards by '" + one_line(run.judged_by->file) + "': " +
                  count_of(run.judged_by->post_hoc, "condition or finding", "conditions and findings") +
                  " asked post hoc, when the figures were known");
  }
  if (!run.others_unseen.empty())
    out.push_back("other runs on these processors could not be seen: " + one_line(run.others_unseen));
  for (const model::OtherRun& other : run.beside)
    out.push_back("another run might have used the same processors meanwhile: " + one_line(other.text));
  for (const CommonMark& common : common_marks(document))
    out.push_back(mark_text(common.mark) + ": " + std::to_string(common.cases) + " of " +
                  count_of(common.of, "case") + ", for instance " + common.text);
  if (run.mode.strict) out.emplace_back("strict: undecided and skipped count as failures");
  return out;
}

std::vector<std::string> system_parts(const Document& document) {
  const Run& run = document.run;
  const auto host = model::read_leniently<Host>(run.host);
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

std::vector<ReasonGroup> grouped_reasons(const Document& document) {
  std::vector<ReasonGroup> out;
  for (const VerdictReason& line : document.verdict.reasons) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const ReasonGroup& group) {
      return group.code == line.code && group.next == line.next;
    });
    if (same == out.end()) {
      out.push_back({line.code, line.severity, line.next, {&line}});
    } else {
      same->lines.push_back(&line);
    }
  }
  return out;
}

std::string asked_text(const Finding& finding) {
  const bool held_to_theta = finding.asks ? finding.asks->factor == 1 && finding.asks->tolerance > 0
                                          : finding.theta && !names_a_number(finding.claim);
  if (held_to_theta)
    return "against a margin of " + margin_text(finding.asks ? finding.asks->tolerance : *finding.theta);
  // A quantity in the claim is a side of its own, and all there is to say.
  if (!finding.asks || finding.asks->factor == 1) return {};
  const std::string asked = change_of_factor(finding.asks->factor), &op = finding.asks->op;
  const std::string within = margin_text(finding.asks->tolerance);
  if (op == ">=") return "which asks for " + asked + " or more";
  if (op == "<=") return "which asks for " + asked + " or less";
  if (op == ">") return "which asks for more than " + asked;
  if (op == "<") return "which asks for less than " + asked;
  if (op == "==") return "which asks for " + asked + ", within " + within;
  return "which asks for other than " + asked + ", by more than " + within;
}

std::string effect_text(const Finding& finding) {
  const auto shown = [](const FindingRow& row) {
    return change(*row.effect, known(row.bounds) ? std::optional(row.bounds.half_width()) : std::nullopt);
  };
  const FindingRow* row = leading_row(finding);
  if (row == nullptr || !row->effect) return {};
  if (finding.rows.size() > 1 && row->verdict != finding.verdict) {
    // One row would stand for others that say the opposite.
    const FindingRow *least = row, *most = row;
    for (const FindingRow& each : finding.rows) {
      if (!each.effect) continue;
      if (*each.effect < *least->effect) least = &each;
      if (*each.effect > *most->effect) most = &each;
    }
    if (least != most)
      return shown(*least) + " to " + shown(*most) + " over " + count_of(finding.rows.size(), "row");
  }
  std::string out = shown(*row);
  if (known(row->bounds)) out += " " + change_interval(row->bounds.low, row->bounds.high);
  if (finding.rows.size() > 1 && !row->label.empty()) out += " at " + short_label(row->label);
  if (has_many_rows_of_one_verdict(finding)) out += ", the weakest of " + std::to_string(finding.rows.size());
  return out;
}

std::string finding_word(const Finding& finding) {
  std::string word = finding.verdict.empty() ? "undecided" : one_line(finding.verdict);
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

std::string finding_rows(const Finding& finding) {
  std::string more = more_rounds_text(finding);
  if (finding.rows.size() < 2) return more;
  const auto rows_with = [&](std::string_view verdict) {
    return std::count_if(finding.rows.begin(), finding.rows.end(),
                         [&](const FindingRow& row) { return row.verdict == verdict; });
  };
  const std::string total = std::to_string(finding.rows.size());
  const auto agree = static_cast<std::size_t>(rows_with(finding.verdict));
  if (agree == finding.rows.size()) return " at all " + total + more;
  if (agree > 0) return " at " + std::to_string(agree) + " of " + total + more;
  // The rows disagree, and none is what the whole is.
  std::vector<std::string> parts;
  for (const char* verdict : {"confirmed", "refuted", "small"}) {
    if (const auto rows = rows_with(verdict); rows > 0)
      parts.push_back(std::string(verdict) + " at " + std::to_string(rows));
  }
  return parts.empty() ? more : ": " + join(parts, ", ") + " of " + total + more;
}

std::string finding_verdict(const Finding& finding, bool before_why) {
  const std::string rows = finding_rows(finding);
  const bool disagree = !rows.empty() && rows.front() == ':';
  return finding_word(finding) + (before_why && disagree && !finding.why.empty() ? "" : rows);
}

bool is_sentence(std::string_view act) {
  while (!act.empty() && (act.back() == ' ' || act.back() == '\n')) act.remove_suffix(1);
  return act.ends_with('.');
}

std::string fill(std::string_view sentence, const Finding& finding) {
  constexpr std::string_view kBoth = "{effect} {interval}";
  std::string out;
  if (const std::size_t both = sentence.find(kBoth); both != std::string_view::npos) {
    const std::string measured = effect_text(finding);
    return fill(sentence.substr(0, both), finding) + (measured.empty() ? "an unknown effect" : measured) +
           fill(sentence.substr(both + kBoth.size()), finding);
  }
  const bool beside_interval = sentence.find("{interval}") != std::string_view::npos;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t open = sentence.find('{', at);
    const std::size_t close = open == std::string_view::npos ? open : sentence.find('}', open);
    if (close == std::string_view::npos) {
      out += sentence.substr(at);
      break;
    }
    out += sentence.substr(at, open - at);
    const auto value = placeholder(sentence.substr(open + 1, close - open - 1), finding, beside_interval);
    out += value ? *value : std::string(sentence.substr(open, close - open + 1));
    at = close + 1;
  }
  return out;
}

bool nothing_was_measured(const Document& document) {
  return std::all_of(document.cases.begin(), document.cases.end(),
                     [](const Case& one) { return !one.has_values(); });
}

bool assertion_failed(const Finding& finding) { return finding.asserted && finding.verdict != "confirmed"; }

}  // namespace assay::reporters
