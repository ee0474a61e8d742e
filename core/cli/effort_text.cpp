// SPDX-License-Identifier: Apache-2.0
#include "cli/effort_text.hpp"

#include "text/fit.hpp"
#include "text/quantity_text.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay::cli {
namespace {

constexpr const char* kTooMany = "over 1000";

// "0.16 %": shares of rounds are smaller than what percent_text() is for.
std::string fine_percent(double share) {
  return share >= 0.1 ? percent_text(share) : fmt::format("{:.2g} %", share * 100);
}

std::string effect_text(double share) {
  return std::isfinite(share) && share < 10 ? fine_percent(share) : "nothing";
}

std::string at_most(bool known) { return known ? "" : "≤ "; }

std::string assumed_mark(bool known) { return known ? "" : " *"; }

std::string minutes_text(double seconds) { return fmt::format("{:.1f}", seconds / 60); }

// How much rounds and runs vary is the reason for the numbers before it, for those who have room for it; and with --see, rounds find about
// what was asked.
AlignedTable cases_table(const engine::Effort& effort, bool is_wide) {
  AlignedTable table;
  const bool knows_samples =
      std::any_of(effort.cases.begin(), effort.cases.end(),
                  [](const engine::CaseEffort& one) { return one.varies.of_samples > 0; });
  const bool has_finds = is_wide || !effort.see;
  std::vector<std::string> heads = {"case", "rounds", has_finds ? "finds" : "", "a round", "minutes"};
  if (effort.see) heads.emplace_back("runs to compare");
  if (is_wide)
    heads.insert(heads.end(), {"rounds vary by", knows_samples ? "within a round" : "", "runs vary by"});
  table.add(heads);
  for (const engine::CaseEffort& one : effort.cases) {
    const double samples = one.varies.of_samples;
    std::vector<std::string> row = {
        printable(one.id), one.rounds ? std::to_string(*one.rounds) : kTooMany,
        !has_finds || !one.rounds || *one.rounds < 2 ? "" : effect_text(engine::shows(one, *one.rounds)),
        at_most(one.time_known) + quantity_text(one.round_s, "s") + assumed_mark(one.time_known),
        one.rounds ? at_most(one.time_known) + minutes_text(*one.rounds * one.round_s) : ""};
    if (effort.see && one.rounds)
      row.push_back(one.runs_a_side ? std::to_string(*one.runs_a_side) + " each" : kTooMany);
    else if (effort.see)
      row.emplace_back();
    if (is_wide)
      row.insert(row.end(), {fine_percent(one.varies.of_a_round) + assumed_mark(one.rounds_known),
                             samples > 0 ? fine_percent(samples) : "",
                             fine_percent(*one.varies.of_runs) + assumed_mark(one.runs_known)});
    table.add(row);
  }
  return table;
}

bool fits(const std::string& table, int width) {
  for (const std::string& line : split(table, '\n'))
    if (width > 0 && display_width(line) > static_cast<std::size_t>(width)) return false;
  return true;
}

AlignedTable findings_table(const engine::Effort& effort) {
  AlignedTable table;
  table.add({"finding", "rounds", "finds", "the ratio varies by"});
  for (const engine::FindingEffort& finding : effort.findings) {
    if (!finding.why_not.empty()) {
      table.add({printable(finding.id), "none", "", printable(finding.why_not)});
      continue;
    }
    const bool tells = finding.rounds && *finding.rounds / finding.rounds_a_pair > 1;
    table.add({printable(finding.id), finding.rounds ? std::to_string(*finding.rounds) : kTooMany,
               tells ? effect_text(engine::shows(finding, *finding.rounds)) : "",
               fine_percent(finding.scatter) + assumed_mark(finding.known)});
  }
  return table;
}

std::string question_text(const engine::Effort& effort) {
  if (effort.see)
    return "rounds that find an effect of " + fine_percent(*effort.see) + " in 80 of 100 runs, at 95 %:";
  if (effort.budget_s)
    return "rounds that fit into " + minutes_text(*effort.budget_s) +
           " min, and the smallest effect that they find in 80 of 100 runs, at 95 %:";
  return "rounds as the suite has them, and the smallest effect that they find in 80 of 100 runs, at 95 %:";
}

std::string sum_text(const engine::Effort& effort) {
  std::size_t open = 0;
  for (const engine::CaseEffort& one : effort.cases) open += one.rounds ? 0 : 1;
  std::string text = "together " + at_most(!effort.assumes_times()) + minutes_text(effort.total_s()) + " min";
  if (open > 0)
    text +=
        fmt::format(", without {} case{} that would take more than 1000 rounds", open, open == 1 ? "" : "s");
  return text + "\n";
}

std::string assumptions_text(const engine::Effort& effort) {
  if (!effort.assumes()) return "";
  return "* assumed, since no result tells: rounds and runs vary by 3 % on the backend host and by 0.3 % on others, and a "
         "round takes at most the time that the suite allows" +
         std::string(effort.results == 0 ? "; name results of this suite from this machine\n" : "\n");
}

}  // namespace

std::string effort_text(const engine::Effort& effort, int width) {
  std::string cases = cases_table(effort, true).text("");
  if (!fits(cases, width)) cases = cases_table(effort, false).text("", width);
  std::string text = paragraph(question_text(effort), width) + "\n" + cases;
  if (!effort.findings.empty()) text += "\n" + findings_table(effort).text("", width);
  return text + "\n" + sum_text(effort) + paragraph(assumptions_text(effort), width);
}

}  // namespace assay::cli
