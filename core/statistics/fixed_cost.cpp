// SPDX-License-Identifier: Apache-2.0
#include "statistics/fixed_cost.hpp"

#include "statistics/summary.hpp"

namespace assay::statistics {

std::optional<FixedTime> fixed_cost(std::span<const PairedTimes> rounds, double tick_s, double level) {
  std::vector<double> all, medians;
  for (const PairedTimes& round : rounds) {
    if (round.once_s.empty()) return std::nullopt;
    std::vector<double> costs;
    for (std::size_t i = 0; i < round.once_s.size(); ++i)
      costs.push_back(2 * round.once_s[i] - round.twice_s[i]);
    medians.push_back(median(costs));
    all.insert(all.end(), costs.begin(), costs.end());
  }
  FixedTime cost;
  if (const auto over_rounds = mean_interval(medians, level)) {
    cost.value = mean(medians);
    cost.interval = *over_rounds;
  } else {
    const std::optional<ConfidenceInterval> interval = median_interval(all, level);
    if (!interval) return std::nullopt;
    cost.value = median(all);
    cost.interval = *interval;
  }
  // Each of the three readings ends up to half a tick from where its clock says, and all may do so alike.
  const double margin_s = 1.5 * tick_s;
  cost.interval.low -= margin_s;
  cost.interval.high += margin_s;
  return cost;
}

}  // namespace assay::statistics
