// SPDX-License-Identifier: Apache-2.0
#include "lib/finding_texts.hpp"

#include "lib/answer.hpp"
#include "lib/compared.hpp"
#include "lib/numbers.hpp"
#include "lib/representative_row.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace assay::reporters {
namespace {

// A claim with ">" expects a positive effect where it holds.
double expected_sign(const Finding& finding) {
  const double claimed = claims(finding, "<") ? -1 : 1;
  return finding.verdict == FindingVerdict::refuted ? -claimed : claimed;
}

// By what the row is distinguished from the finding's others.
std::string name_of(const Finding& finding, const FindingRow& row) {
  return row_names(finding)[static_cast<std::size_t>(&row - finding.rows.data())];
}

// The size of the leading effect; with its sign only where that is not what the verdict suggests.
std::string effect_word(const Finding& finding) {
  const FindingRow* row = representative_row(finding);
  if (row == nullptr) return "an unknown effect";
  if (!row->effect) {
    const auto shown = compared(finding, *row);
    return shown ? compared_value(*shown) : "an unknown effect";
  }
  const std::optional<double> width =
      known(row->bounds) ? std::optional(row->bounds.half_width()) : std::nullopt;
  const bool as_expected = *row->effect * expected_sign(finding) > 0;
  std::string out = change(as_expected ? std::abs(*row->effect) : *row->effect, width);
  if (as_expected && out.front() == '+') out.erase(0, 1);
  if (as_expected && has_many_rows_of_one_verdict(finding)) return "at least " + out;
  if (const std::string name = name_of(finding, *row); !name.empty()) out += " at " + name;
  return out;
}

std::string operand_text(const Operand& operand) {
  return operand.value ? quantity(*operand.value, operand.unit) : std::string("–");
}

// By its first word, or by a sign that prose has not: an option, a variable, a setting, a path, a pipe.
bool is_command(std::string_view act) {
  constexpr std::array<std::string_view, 12> kFirst{"assay",   "export",   "unset",  "sudo",
                                                    "numactl", "taskset",  "echo",   "pip",
                                                    "apt",     "modprobe", "sysctl", "nvidia-smi"};
  const std::string_view first = act.substr(0, act.find(' '));
  if (contains(kFirst, first) || first.ends_with(':')) return true;
  return act.find_first_of("=$|<>\\_") != std::string_view::npos ||
         act.find(" -") != std::string_view::npos || act.starts_with('/') || act.starts_with("./") ||
         act.find(" /") != std::string_view::npos;
}

std::string margin_text(double share) { return fixed(share * 100, share < 0.00995 ? 1 : 0) + " %"; }

// "−10 % at 64MiB": beside an interval, which has signs.
std::string signed_effect(const FindingRow& row, const Finding& finding) {
  const std::string out =
      change(*row.effect, known(row.bounds) ? std::optional(row.bounds.half_width()) : std::nullopt);
  const std::string name = name_of(finding, row);
  return name.empty() ? out : out + " at " + name;
}

// "−10 % [−12, −7] at 64MiB"; of what has no ratio, what it came to.
std::string effect_and_interval(const Finding& finding) {
  const FindingRow* row = representative_row(finding);
  if (row == nullptr || !row->effect) {
    const std::string measured = measured_text(finding);
    return measured.empty() ? "an unknown effect" : measured;
  }
  std::string out =
      change(*row->effect, known(row->bounds) ? std::optional(row->bounds.half_width()) : std::nullopt);
  if (known(row->bounds)) out += " " + change_interval(row->bounds.low, row->bounds.high);
  const std::string name = name_of(finding, *row);
  return name.empty() ? out : out + " at " + name;
}

std::optional<std::string> placeholder(std::string_view name, const Finding& finding, bool beside_interval) {
  const FindingRow* row = representative_row(finding);
  if (name == "effect" && beside_interval && row != nullptr && row->effect)
    return signed_effect(*row, finding);
  if (name == "effect") return effect_word(finding);
  if (name == "theta") return finding.theta ? margin_text(*finding.theta) : "–";
  if (row == nullptr) return std::nullopt;
  if (name == "interval")
    return known(row->bounds) ? change_interval(row->bounds.low, row->bounds.high) + " %" : "–";
  if (name == "rounds") return std::to_string(row->n);
  if (name == "measured")
    if (const auto shown = compared(finding, *row)) return compared_value(*shown);
  if (name == "asked") return asked_text(finding);
  if (name == "left") return operand_text(row->left);
  if (name == "right") return operand_text(row->right);
  if (name == "at") return name_of(finding, *row);
  return std::nullopt;
}

}  // namespace

std::string measured_text(const Finding& finding) {
  const FindingRow* row = representative_row(finding);
  const auto shown = row == nullptr ? std::nullopt : compared(finding, *row);
  if (!shown) return {};
  if (finding.rows.size() > 1 && row->verdict != finding.verdict) {
    // One row would stand for others that say the opposite.
    std::optional<Compared> least = shown, most = shown;
    for (const FindingRow& each : finding.rows) {
      const auto other = compared(finding, each);
      if (!other) continue;
      if (other->value < least->value) least = other;
      if (other->value > most->value) most = other;
    }
    if (least->value < most->value)
      return compared_value(*least) + " to " + compared_value(*most) + " over " +
             count_of(finding.rows.size(), "row");
  }
  std::string out = compared_text(*shown);
  if (const std::string name = name_of(finding, *row); !name.empty()) out += " at " + name;
  if (has_many_rows_of_one_verdict(finding)) out += ", the weakest of " + std::to_string(finding.rows.size());
  return out;
}

std::string expected_text(const Finding& finding) {
  if (!finding.expected) return {};
  std::string out = one_line(finding.expected->value);
  const bool number = !out.empty() && out.find_first_not_of("0123456789.") == std::string::npos;
  if (number && finding.asks && finding.asks->unit.base == "×") out += "×";
  return finding.expected->source.empty() ? out : out + " (" + one_line(finding.expected->source) + ")";
}

bool is_sentence(std::string_view act) {
  while (!act.empty() && (act.back() == ' ' || act.back() == '\n')) act.remove_suffix(1);
  return act.ends_with('.') || !is_command(one_line(act));
}

std::string fill(std::string_view sentence, const Finding& finding) {
  constexpr std::string_view kBoth = "{effect} {interval}";
  std::string out;
  if (const std::size_t both = sentence.find(kBoth); both != std::string_view::npos) {
    return fill(sentence.substr(0, both), finding) + effect_and_interval(finding) +
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

bool nothing_ran(const Document& document) {
  return document.verdict.outcome == RunOutcome::unmet || document.verdict.outcome == RunOutcome::nothing_ran;
}

bool assertion_failed(const Document& document, const Finding& finding) {
  return finding.asserted && finding.verdict != FindingVerdict::confirmed && !nothing_ran(document);
}

}  // namespace assay::reporters
