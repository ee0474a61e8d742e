// SPDX-License-Identifier: Apache-2.0
#include "judge/rank_comparison.hpp"

#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

constexpr double kStragglerMedian = 1.01;
constexpr double kChance = 0.001;

// That of n tries with chance p each at least k come off, by the sum of its terms.
double binomial_tail(std::size_t n, std::size_t k, double p) {
  const double all = static_cast<double>(n);
  double tail = 0;
  for (std::size_t i = k; i <= n; ++i) {
    const double of = static_cast<double>(i);
    tail += std::exp(std::lgamma(all + 1) - std::lgamma(of + 1) - std::lgamma(all - of + 1) +
                     of * std::log(p) + (all - of) * std::log1p(-p));
  }
  return tail;
}

}  // namespace

RankComparison compare_ranks(const std::vector<VisitTimes>& rounds) {
  RankComparison comparison;
  if (rounds.empty()) return comparison;
  comparison.ranks = rounds.front().ranks;
  double total_s = 0;
  for (const VisitTimes& round : rounds) {
    comparison.compared += round.iteration_s.size();
    total_s += round.rank_mean_s * static_cast<double>(round.iteration_s.size());
    comparison.start_skew_s.insert(comparison.start_skew_s.end(), round.start_skew_s.begin(),
                                   round.start_skew_s.end());
  }
  if (comparison.compared == 0) return comparison;
  comparison.mean_over_ranks_s = total_s / static_cast<double>(comparison.compared);
  for (std::size_t r = 0; r < comparison.ranks.size(); ++r) {
    std::vector<double> medians;
    double slowest = 0;
    for (const VisitTimes& round : rounds) {
      if (r >= round.ranks.size()) continue;
      medians.push_back(round.ranks[r].median_s);
      slowest += round.ranks[r].share_slowest * static_cast<double>(round.iteration_s.size());
    }
    comparison.ranks[r].median_s = statistics::median(medians);
    comparison.ranks[r].share_slowest = slowest / static_cast<double>(comparison.compared);
  }
  return comparison;
}

std::vector<RankTimes> stragglers_of(const RankComparison& comparison) {
  std::vector<RankTimes> found;
  if (comparison.ranks.size() < 2) return found;
  const double count = static_cast<double>(comparison.ranks.size());
  std::vector<double> medians;
  for (const RankTimes& rank : comparison.ranks) medians.push_back(rank.median_s);
  const double typical = statistics::median(medians);
  for (const RankTimes& rank : comparison.ranks) {
    if (rank.share_slowest <= std::min(0.9, 3 / count) || rank.median_s <= kStragglerMedian * typical)
      continue;
    const auto slowest =
        static_cast<std::size_t>(std::llround(rank.share_slowest * static_cast<double>(comparison.compared)));
    if (binomial_tail(comparison.compared, slowest, 1 / count) < kChance / count) found.push_back(rank);
  }
  std::stable_sort(found.begin(), found.end(), [](const RankTimes& left, const RankTimes& right) {
    return left.share_slowest > right.share_slowest;
  });
  return found;
}

}  // namespace assay::judge
