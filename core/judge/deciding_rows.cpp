// SPDX-License-Identifier: Apache-2.0
#include "judge/deciding_rows.hpp"

#include "judge/estimate.hpp"
#include "statistics/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::judge {
namespace {

using Rows = std::vector<FindingRow*>;

FindingVerdict verdict_among(const Claim& claim, const FindingRow& row, std::size_t rows, double theta) {
  if (!row.interval || row.observed) return row.verdict;
  ValueRange wide = among(*row.interval, row.rounds, rows, claim.form, row.level);
  if (claim.form == ClaimForm::difference) return difference_verdict(claim, wide);
  wide.low /= claim.quantity.value;
  wide.high /= claim.quantity.value;
  return claim_verdict(claim, wide, theta);
}

// How far what was measured lies on the wrong side of the claim; the more, the worse.
double wrongness_of(const Claim& claim, const FindingRow& row) {
  const bool difference = claim.form == ClaimForm::difference;
  const double above = difference ? *row.measured - claim.quantity.value
                                  : std::log(*row.measured / claim.quantity.value) - std::log(claim.margin);
  return violation_margin(above, claim.comparison);
}

std::string of_rows(std::size_t count, std::size_t all) {
  return std::to_string(count) + " of " + std::to_string(all) + " rows";
}

// `for: all` with refuted as what one row alone decides, `for: any` with confirmed.
void decide_by_one(const Claim& claim, FindingVerdict alone, FindingVerdict together, FindingResult& result) {
  const std::size_t all = result.rows.size();
  Rows by_itself, by_all;
  std::size_t other = 0;
  for (FindingRow& row : result.rows) {
    if (row.verdict == together) ++other;
    if (row.verdict != alone) continue;
    by_itself.push_back(&row);
    if (verdict_among(claim, row, all, result.finding->over) == alone) by_all.push_back(&row);
  }
  if (!by_all.empty() || by_itself.size() == all) {
    result.verdict = alone;
    if (by_itself.size() < all)
      for (FindingRow* row : by_all) row->decides = true;
    return;
  }
  if (other == all) {
    result.verdict = together;
    return;
  }
  result.verdict = FindingVerdict::undecided;
  if (!by_itself.empty())
    result.why = std::string(to_text(alone)) + " in " + of_rows(by_itself.size(), all) +
                 ", which among so many may be chance";
  else
    result.why =
        std::string(to_text(together)) + " in " + of_rows(other, all) + "; the others are not decided";
}

void decide_by_worst(const Claim& claim, FindingResult& result) {
  result.verdict = FindingVerdict::undecided;
  for (const FindingRow& row : result.rows)
    if (!row.measured) {
      result.why = (row.label.empty() ? "a row" : "the row at " + row.label) +
                   " has no value, so that the worst row is not known: " + row.why;
      if (row.verdict == FindingVerdict::not_comparable && result.rows.size() == 1)
        result.verdict = row.verdict;
      return;
    }
  const auto worst = std::max_element(
      result.rows.begin(), result.rows.end(),
      [&](const auto& a, const auto& b) { return wrongness_of(claim, a) < wrongness_of(claim, b); });
  if (worst == result.rows.end()) return;
  if (result.rows.size() > 1) worst->decides = true;
  result.verdict = verdict_among(claim, *worst, result.rows.size(), result.finding->over);
  if (is_answered(result.verdict)) return;
  result.why = is_answered(worst->verdict) ? "the worst row is " + std::string(to_text(worst->verdict)) +
                                                 " by itself, which as the worst of " +
                                                 std::to_string(result.rows.size()) + " rows may be chance"
                                           : worst->why;
}

}  // namespace

ValueRange among(const ValueRange& interval, std::size_t rounds, std::size_t comparisons, ClaimForm form,
                 double level) {
  if (comparisons < 2 || rounds < 2) return interval;
  const double freedom = static_cast<double>(rounds - 1);
  const double tail = (1 - level) / 2;
  const double wider = statistics::student_t_quantile(1 - tail / static_cast<double>(comparisons), freedom) /
                       statistics::student_t_quantile(1 - tail, freedom);
  if (form == ClaimForm::difference) {
    const double middle = (interval.low + interval.high) / 2, half = (interval.high - interval.low) / 2;
    return {middle - half * wider, middle + half * wider};
  }
  const double middle = std::sqrt(interval.low * interval.high),
               half = std::sqrt(interval.high / interval.low);
  return {middle * std::pow(half, -wider), middle * std::pow(half, wider)};
}

void decide_by_rows(const Claim& claim, FindingResult& result) {
  const std::string& by = result.finding->decided_by;
  if (by == "all")
    decide_by_one(claim, FindingVerdict::refuted, FindingVerdict::confirmed, result);
  else if (by == "any")
    decide_by_one(claim, FindingVerdict::confirmed, FindingVerdict::refuted, result);
  else
    decide_by_worst(claim, result);
  const bool apart = std::all_of(result.rows.begin(), result.rows.end(), [](const FindingRow& row) {
    return row.verdict == FindingVerdict::not_comparable;
  });
  if (!apart || result.rows.empty()) return;
  result.verdict = FindingVerdict::not_comparable;
  result.why = result.rows.front().why;
}

}  // namespace assay::judge
