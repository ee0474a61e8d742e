// SPDX-License-Identifier: Apache-2.0
#include "comparison/sentence.hpp"

#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::comparison {

namespace {

const model::ComparedRow* worst_of(const model::Comparison& comparison) {
  const auto size = [](const model::ComparedRow& row) { return std::abs(std::log(*row.ratio)); };
  const model::ComparedRow* worst = nullptr;
  for (const model::ComparedRow& row : comparison.rows)
    if (row.verdict == model::ComparedVerdict::slower && (worst == nullptr || size(row) > size(*worst)))
      worst = &row;
  return worst;
}

// "copy, bandwidth (the first of 3)": a reason speaks of its row as "it".
std::string first_of(const std::vector<model::ComparedRow>& rows) {
  const std::string name = rows.front().id + ", " + rows.front().metric;
  return rows.size() == 1 ? name : name + " (the first of " + std::to_string(rows.size()) + ")";
}

// "9.1 % lower"; from twice on as people say it, "8.29× as long".
std::string change_text(const model::ComparedRow& row) {
  constexpr double kTimes = 2;
  const double ratio = *row.ratio;
  if (ratio >= kTimes) return quantity_text(ratio, "1") + "× as " + (row.unit.base == "s" ? "long" : "much");
  return percent_text(std::abs(ratio - 1)) + (ratio < 1 ? " lower" : " higher");
}

// What the second look makes of it.
std::string confirmation_text(const model::Confirmation& confirmation) {
  if (confirmation.how == model::SecondRun::not_possible)
    return "; what is slower could not be taken once more: " + confirmation.why;
  const std::string how = confirmation.how == model::SecondRun::in_turn
                              ? "both sides in turn"
                              : "the new side alone, as " + confirmation.why;
  return "; of " + count_of(confirmation.taken, "row") + " taken once more (" + how + "), " +
         std::to_string(confirmation.confirmed) + " slower again";
}

}  // namespace

std::string sentence_of(const model::Comparison& comparison) {
  const model::ChangeCounts& counts = comparison.verdict.counts;
  if (comparison.rows.empty())
    return comparison.filters.empty() ? "Neither side has a row."
                                      : "Neither side has a row that --filter asks for.";
  if (counts.not_comparable == comparison.rows.size())
    return "Nothing could be compared. Row " + first_of(comparison.rows) + ": " +
           comparison.rows.front().why + ".";
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t count, const char* word) {
    if (count > 0) parts.push_back(std::to_string(count) + " " + word);
  };
  add(counts.failed, "failed on the new side");
  add(counts.slower, "slower");
  add(counts.faster, "faster");
  add(counts.same, "the same");
  add(counts.small, "changed by a little");
  add(counts.different, "different");
  add(counts.undecided, "undecided");
  add(counts.not_comparable, "not comparable");
  std::string text = "Of " + count_of(comparison.rows.size(), "row") + ": " + join(parts, ", ");
  if (const model::ComparedRow* worst = worst_of(comparison)) {
    text += "; the worst is " + worst->id + ", " + worst->metric + " " + change_text(*worst);
  }
  if (counts.not_shown_no_worse > 0)
    text += "; " + count_of(counts.not_shown_no_worse, "row") + " not shown to be worse by less than " +
            percent_text(*comparison.no_worse_than);
  if (comparison.verdict.attribution == model::Attribution::confounded &&
      counts.slower + counts.faster + counts.different > 0)
    text += "; " + std::to_string(comparison.differences.size()) +
            " things differ, so that nothing tells which of them did it";
  if (comparison.confirmation) return text + confirmation_text(*comparison.confirmation) + ".";
  const auto disturbed =
      std::count_if(comparison.rows.begin(), comparison.rows.end(), [](const model::ComparedRow& row) {
        return row.verdict == model::ComparedVerdict::slower && !row.disturbed.empty();
      });
  if (disturbed > 0)
    text +=
        "; other programs or throttling disturbed " +
        (static_cast<std::uint64_t>(disturbed) == counts.slower ? std::string("what is slower")
                                                                : std::to_string(disturbed) + " of these") +
        ": measure while nothing else runs, or have it taken once more by --confirm";
  return text + ".";
}

}  // namespace assay::comparison
