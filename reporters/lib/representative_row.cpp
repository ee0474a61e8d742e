// SPDX-License-Identifier: Apache-2.0
#include "lib/representative_row.hpp"

#include "lib/compared.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::reporters {
namespace {

// How far the row is from another verdict. Only the order of rows of one finding matters: what they are compared with is
// the same for all of them.
double strength(const Finding& finding, const FindingRow& row) {
  const auto shown = compared(finding, row);
  // Sameness is about the middle of its two limits; all else about no effect, as far as there is one.
  const std::vector<double> limits = asked_limits(finding);
  const bool of_sameness = claims(finding, "==") || claims(finding, "!=");
  const double middle =
      limits.empty() || !(of_sameness || !row.effect) ? 1 : (limits.front() + limits.back()) / 2;
  const double value = shown ? shown->value - middle : 0;
  const double low = shown && shown->bounds ? shown->bounds->low - middle : value,
               high = shown && shown->bounds ? shown->bounds->high - middle : value;
  const double nearest = low > 0    ? low
                         : high < 0 ? -high
                                    : 0,
               farthest = std::max(std::abs(low), std::abs(high));
  if (!is_answered(row.verdict)) return -std::abs(value);
  const bool confirmed = row.verdict == FindingVerdict::confirmed;
  if (claims(finding, "==")) return confirmed ? -farthest : nearest;
  if (claims(finding, "!=")) return confirmed ? nearest : -farthest;
  return confirmed == claims(finding, "<") ? -high : low;
}

}  // namespace

bool claims(const Finding& finding, std::string_view sign) {
  return (finding.asks ? finding.asks->op : finding.claim).find(sign) != std::string::npos;
}

const FindingRow* representative_row(const Finding& finding) {
  const auto leads = [&](const FindingRow& a, const FindingRow& b) {
    if (a.decides != b.decides) return a.decides.has_value();
    const bool a_fits = a.verdict == finding.verdict, b_fits = b.verdict == finding.verdict;
    return a_fits == b_fits ? strength(finding, a) < strength(finding, b) : a_fits;
  };
  const auto found = std::min_element(finding.rows.begin(), finding.rows.end(), leads);
  return found == finding.rows.end() ? nullptr : &*found;
}

bool has_many_rows_of_one_verdict(const Finding& finding) {
  return finding.rows.size() > 1 && is_answered(finding.verdict) &&
         std::all_of(finding.rows.begin(), finding.rows.end(),
                     [&](const FindingRow& row) { return row.verdict == finding.verdict; });
}

}  // namespace assay::reporters
