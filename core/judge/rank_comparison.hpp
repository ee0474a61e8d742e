// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/visit_times.hpp"

#include <cstddef>
#include <vector>

namespace assay::judge {

// How the ranks of a case went together, over all of its rounds.
struct RankComparison {
  std::vector<RankTimes> ranks;      // median_s: the median of the rounds'; share_slowest: of all rounds
  std::size_t compared = 0;          // samples (or laps) of which one rank was the slowest
  double mean_over_ranks_s = 0;      // per iteration, mean over ranks and all samples
  std::vector<double> start_skew_s;  // of every sample that tells
};

// Of visits with the same ranks; empty if there are none.
[[nodiscard]] RankComparison compare_ranks(const std::vector<VisitTimes>& rounds);

// Ranks that were the slowest in more than three times their share of the samples (or in more than 90 %), more
// often than chance explains (a binomial tail below 0.001 over all ranks), and whose median is more than 1 %
// above the ranks' median. The rank that was the slowest most often comes first.
[[nodiscard]] std::vector<RankTimes> stragglers_of(const RankComparison& comparison);

}  // namespace assay::judge
