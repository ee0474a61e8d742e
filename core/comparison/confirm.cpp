// SPDX-License-Identifier: Apache-2.0
#include "comparison/confirm.hpp"

#include "comparison/comparison_verdict.hpp"
#include "text/lookup.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace assay::comparison {

namespace {

const model::ComparedRow* row_like(const model::ComparedRow& row, const model::Comparison& comparison) {
  return find_in(comparison.rows, [&](const model::ComparedRow& other) {
    return other.id == row.id && other.metric == row.metric;
  });
}

// What an open second look makes of a row; faster now and slower before is not a change that anybody has shown.
model::ComparedVerdict verdict_after(const model::ComparedRow& second) {
  using model::ComparedVerdict;
  const bool is_opposite =
      second.verdict == ComparedVerdict::faster || second.verdict == ComparedVerdict::different;
  return is_opposite ? ComparedVerdict::undecided : second.verdict;
}

// Why both sides of the second look are the new one; "" if nothing shows it.
std::string why_not_old(const model::ComparedRow& row, const model::ComparedRow* again) {
  if (again == nullptr || !again->ratio || !(again->low <= again->high)) return {};
  // Shown to have come at least half of the way from the old side to the new one; luck of the old result alone seldom does.
  const double half = std::sqrt(*row.ratio);
  if (*row.ratio < 1 ? again->high >= half : again->low <= half) return {};
  return fmt::format(
      "the old side itself has become slower: {:.3f} [{:.3f}, {:.3f}] of what it was, so that both sides in turn say nothing about the "
      "change; measure the old side again, and compare with that",
      *again->ratio, again->low, again->high);
}

void look_again(model::ComparedRow& row, const model::ComparedRow* second,
                const model::ComparedRow* old_again, model::Confirmation& confirmation) {
  if (second == nullptr || !second->ratio) {
    row.why = "it could not be taken once more" +
              (second == nullptr || second->why.empty() ? std::string() : ": " + second->why);
    return;
  }
  ++confirmation.taken;
  row.second_look =
      model::SecondLook{second->before, second->after,   second->ratio,         second->low,
                        second->high,   second->verdict, second->before_rounds, second->after_rounds};
  const std::string figures =
      fmt::format("once more {:.3f} [{:.3f}, {:.3f}]", *second->ratio, second->low, second->high);
  if (second->verdict == model::ComparedVerdict::slower) {
    ++confirmation.confirmed;
    row.why = figures;
    return;
  }
  if (row.why = why_not_old(row, old_again); !row.why.empty()) return;
  row.verdict = verdict_after(*second);
  row.no_worse = second->no_worse;
  row.why = "slower at first, and not when it was taken " + figures;
}

}  // namespace

void confirm(model::Comparison& first, const model::Comparison& second, model::Confirmation confirmation,
             const model::Comparison* old_again) {
  for (model::ComparedRow& row : first.rows)
    if (row.verdict == model::ComparedVerdict::slower)
      look_again(row, row_like(row, second), old_again ? row_like(row, *old_again) : nullptr, confirmation);
  first.confirmation = std::move(confirmation);
  fill_verdict(first);
}

void leave_unconfirmed(model::Comparison& first, const std::string& why) {
  first.confirmation = model::Confirmation{model::SecondRun::not_possible, why, "", 0, 0};
  fill_verdict(first);
}

}  // namespace assay::comparison
