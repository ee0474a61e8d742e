// SPDX-License-Identifier: Apache-2.0
#include "comparison/comparison_contradiction.hpp"

#include "comparison/comparison_verdict.hpp"
#include "model/comparison_fields.hpp"

#include <algorithm>
#include <string_view>

namespace assay::comparison {
namespace {

using model::ComparedRow;
using model::ComparedVerdict;
using model::Comparison;

bool has_unknown_word(const Comparison& comparison) {
  return comparison.verdict.outcome == model::ComparisonOutcome::other ||
         comparison.verdict.attribution == model::Attribution::other ||
         std::any_of(comparison.rows.begin(), comparison.rows.end(),
                     [](const ComparedRow& row) { return row.verdict == ComparedVerdict::other; });
}

std::string verdict_text(const model::ComparisonVerdict& verdict) {
  return std::string(to_text(verdict.outcome)) + " (exit code " + std::to_string(verdict.exit_code) + ")";
}

std::string problem_of_counts(const model::ChangeCounts& stated, const model::ChangeCounts& counted) {
  std::string problem;
  model::visit_fields(fields_of(&counted).all, [&](const auto& each) {
    const std::uint64_t said = each.of(stated), found = each.of(counted);
    if (said != found && problem.empty())
      problem = "its verdict counts " + std::to_string(said) + " " + each.name + ", and " +
                std::to_string(found) + " of its rows are";
  });
  return problem;
}

// "Of 3 rows: 1 slower, 2 the same; the worst is copy, bandwidth 9.1 % lower": the rest tells of causes.
std::string_view told_of_rows(std::string_view sentence) {
  constexpr std::string_view kWorst = "; the worst is ";
  std::size_t end = sentence.find(';');
  if (end != std::string_view::npos && sentence.substr(end).starts_with(kWorst))
    end = sentence.find(';', end + 1);
  std::string_view told = sentence.substr(0, end);
  if (told.ends_with('.')) told.remove_suffix(1);
  return told;
}

}  // namespace

std::string contradiction_in(const Comparison& comparison) {
  if (has_unknown_word(comparison)) return {};
  for (const ComparedRow& row : comparison.rows)
    if (row.verdict == ComparedVerdict::slower && !row.ratio)
      return "its row '" + row.id + "' is slower, and has no ratio";
  Comparison anew = comparison;
  fill_verdict(anew);
  const model::ComparisonVerdict &stated = comparison.verdict, &found = anew.verdict;
  if (stated.outcome != found.outcome || stated.exit_code != found.exit_code)
    return "its verdict is " + verdict_text(stated) + ", and its rows come to " + verdict_text(found);
  if (std::string problem = problem_of_counts(stated.counts, found.counts); !problem.empty()) return problem;
  if (stated.attribution != found.attribution)
    return "its verdict puts a change down to " + std::string(to_text(stated.attribution)) +
           ", and its differences to " + std::string(to_text(found.attribution));
  if (told_of_rows(stated.text) != told_of_rows(found.text))
    return "its sentence says '" + std::string(told_of_rows(stated.text)) + "', and its rows '" +
           std::string(told_of_rows(found.text)) + "'";
  return {};
}

}  // namespace assay::comparison
