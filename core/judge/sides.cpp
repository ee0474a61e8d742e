// SPDX-License-Identifier: Apache-2.0
#include "judge/sides.hpp"

#include "statistics/change.hpp"
#include "statistics/interval.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::judge {
namespace {

SidesCompared compare_difference(const Claim& claim, std::span<const double> values, double level) {
  SidesCompared compared;
  compared.measured = statistics::mean(values);
  const auto interval = statistics::mean_interval(values, level);
  if (!interval) return compared;
  compared.interval = ValueRange{interval->low, interval->high};
  compared.verdict = difference_verdict(claim, *compared.interval);
  if (compared.verdict == FindingVerdict::undecided)
    compared.more_rounds = statistics::further_rounds(
        values.size(), statistics::stdev(values), std::fabs(compared.measured - claim.quantity.value), level);
  return compared;
}

}  // namespace

SidesCompared compare_sides(const Claim& claim, std::span<const double> left, std::span<const double> right,
                            double theta, double level) {
  if (claim.form == ClaimForm::difference) return compare_difference(claim, left, level);
  SidesCompared compared;
  const double quantity = claim.quantity.value;
  const statistics::Ratio ratio = statistics::paired_ratio(left, right, level);
  compared.measured = ratio.ratio * quantity;
  compared.effect = ratio.ratio - 1;
  if (!ratio.interval) return compared;
  compared.interval = ValueRange{ratio.interval->low * quantity, ratio.interval->high * quantity};
  compared.verdict = claim_verdict(claim, {ratio.interval->low, ratio.interval->high}, theta);
  if (!is_open(compared.verdict)) return compared;
  double distance = std::numeric_limits<double>::infinity();
  for (const double limit : claim_limits(claim, theta))
    distance = std::min(distance, std::fabs(std::log(ratio.ratio) - limit));
  compared.more_rounds = statistics::further_rounds(ratio.n, ratio.scatter, distance, level);
  return compared;
}

SidesCompared compare_observations(const Claim& claim, std::span<const ValueRange> left,
                                   std::span<const ValueRange> right, double theta) {
  const bool difference = claim.form == ClaimForm::difference;
  ValueRange hull{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < left.size(); ++i) {
    hull.low = std::min(hull.low, difference ? left[i].low : left[i].low / right[i].high);
    hull.high = std::max(hull.high, difference ? left[i].high : left[i].high / right[i].low);
  }
  // A ratio of what is exactly as much as is asked for is that, but for the last division's rounding.
  if (!difference)
    for (double* const end : {&hull.low, &hull.high})
      if (std::fabs(*end / claim.margin - 1) <= 4 * std::numeric_limits<double>::epsilon())
        *end = claim.margin;
  SidesCompared compared;
  const bool holds = (difference ? difference_verdict(claim, hull) : claim_verdict(claim, hull, theta)) ==
                     FindingVerdict::confirmed;
  compared.verdict = holds ? FindingVerdict::confirmed : FindingVerdict::refuted;
  const double unit = difference ? 1 : claim.quantity.value;
  const double limit = difference ? claim.quantity.value : claim.margin;
  // The value that lies farthest on the wrong side.
  const double low_violation = violation_margin(hull.low - limit, claim.comparison);
  const double worst =
      low_violation > violation_margin(hull.high - limit, claim.comparison) ? hull.low : hull.high;
  compared.measured = worst * unit;
  if (!difference) compared.effect = worst - 1;
  compared.interval = ValueRange{hull.low * unit, hull.high * unit};
  return compared;
}

}  // namespace assay::judge
