// SPDX-License-Identifier: Apache-2.0
#include "judge/team.hpp"

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

Team team_of(const std::vector<VisitTimes>& rounds) {
  Team team;
  if (rounds.empty()) return team;
  team.ranks = rounds.front().ranks;
  double total_s = 0;
  for (const VisitTimes& round : rounds) {
    team.compared += round.iteration_s.size();
    total_s += round.rank_mean_s * static_cast<double>(round.iteration_s.size());
    team.start_skew_s.insert(team.start_skew_s.end(), round.start_skew_s.begin(), round.start_skew_s.end());
  }
  if (team.compared == 0) return team;
  team.mean_over_ranks_s = total_s / static_cast<double>(team.compared);
  for (std::size_t r = 0; r < team.ranks.size(); ++r) {
    std::vector<double> medians;
    double slowest = 0;
    for (const VisitTimes& round : rounds) {
      if (r >= round.ranks.size()) continue;
      medians.push_back(round.ranks[r].median_s);
      slowest += round.ranks[r].share_slowest * static_cast<double>(round.iteration_s.size());
    }
    team.ranks[r].median_s = statistics::median(medians);
    team.ranks[r].share_slowest = slowest / static_cast<double>(team.compared);
  }
  return team;
}

std::vector<RankTimes> stragglers_of(const Team& team) {
  std::vector<RankTimes> found;
  if (team.ranks.size() < 2) return found;
  const double count = static_cast<double>(team.ranks.size());
  std::vector<double> medians;
  for (const RankTimes& rank : team.ranks) medians.push_back(rank.median_s);
  const double typical = statistics::median(medians);
  for (const RankTimes& rank : team.ranks) {
    if (rank.share_slowest <= std::min(0.9, 3 / count) || rank.median_s <= kStragglerMedian * typical)
      continue;
    const auto slowest =
        static_cast<std::size_t>(std::llround(rank.share_slowest * static_cast<double>(team.compared)));
    if (binomial_tail(team.compared, slowest, 1 / count) < kChance / count) found.push_back(rank);
  }
  std::stable_sort(found.begin(), found.end(), [](const RankTimes& left, const RankTimes& right) {
    return left.share_slowest > right.share_slowest;
  });
  return found;
}

}  // namespace assay::judge
