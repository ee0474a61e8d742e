// SPDX-License-Identifier: Apache-2.0
#include "lib/leading_row.hpp"

#include <algorithm>
#include <cmath>

namespace assay::reporters {
namespace {

// How far the row is from another verdict. Only the order of rows of one finding matters: what an effect is
// held against is the same for all of them.
double strength(const Finding& finding, const FindingRow& row) {
  const double effect = row.effect.value_or(0);
  const double low = known(row.bounds) ? row.bounds.low : effect,
               high = known(row.bounds) ? row.bounds.high : effect;
  const double nearest = low > 0    ? low
                         : high < 0 ? -high
                                    : 0,
               farthest = std::max(std::abs(low), std::abs(high));
  if (row.verdict != "confirmed" && row.verdict != "refuted") return -std::abs(effect);
  const auto claims = [&](const char* sign) { return finding.claim.find(sign) != std::string::npos; };
  const bool confirmed = row.verdict == "confirmed";
  if (claims("==")) return confirmed ? -farthest : nearest;
  if (claims("!=")) return confirmed ? nearest : -farthest;
  return confirmed == claims("<") ? -high : low;
}

}  // namespace

const FindingRow* leading_row(const Finding& finding) {
  const auto leads = [&](const FindingRow& a, const FindingRow& b) {
    const bool a_fits = a.verdict == finding.verdict, b_fits = b.verdict == finding.verdict;
    return a_fits == b_fits ? strength(finding, a) < strength(finding, b) : a_fits;
  };
  const auto found = std::min_element(finding.rows.begin(), finding.rows.end(), leads);
  return found == finding.rows.end() ? nullptr : &*found;
}

bool has_many_rows_of_one_verdict(const Finding& finding) {
  return finding.rows.size() > 1 && (finding.verdict == "confirmed" || finding.verdict == "refuted") &&
         std::all_of(finding.rows.begin(), finding.rows.end(),
                     [&](const FindingRow& row) { return row.verdict == finding.verdict; });
}

}  // namespace assay::reporters
