// SPDX-License-Identifier: Apache-2.0
//
// Choosing the fastest of several algorithms by running them under the load that is reported. Pure: how one
// is timed is the caller's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace assay::plugins::gemm {

// Runs algorithm `candidate` for about as long as the round (0, 1, 2: each longer than the last) wants.
// Returns seconds per iteration, or 0 if the algorithm cannot run.
using Trial = std::function<double(std::size_t candidate, int round)>;

struct TrialResult {
  std::size_t winner = 0;
  double gain = 0;          // by how much it is faster than the first candidate: 0.02 is 2 %
  std::size_t started = 0;  // candidates that could run
};

// Slower than the best by more than this is out after rounds 0 and 1: trials get longer, and noise smaller.
inline constexpr double kRaceCut[] = {0.10, 0.03};
// Another one replaces the first candidate, the library's own choice, only if it is faster by more than what
// trials vary by. So the choice is never worse than the first for chance.
inline constexpr double kRaceMargin = 0.01;

inline TrialResult choose_algorithm(std::size_t candidates, const Trial& trial) {
  TrialResult result;
  std::vector<std::size_t> alive;
  for (std::size_t i = 0; i < candidates; ++i) alive.push_back(i);
  std::vector<double> seconds(candidates);
  int round = 0;
  for (const double cut : kRaceCut) {
    // Every second round goes the other way, so that a slow drift favours nobody.
    if (round % 2 == 1) std::reverse(alive.begin(), alive.end());
    for (const std::size_t each : alive) seconds[each] = trial(each, round);
    if (round % 2 == 1) std::reverse(alive.begin(), alive.end());
    alive.erase(std::remove_if(alive.begin(), alive.end(), [&](std::size_t i) { return seconds[i] <= 0; }),
                alive.end());
    if (round == 0) result.started = alive.size();
    if (alive.empty()) return result;
    double best = seconds[alive.front()];
    for (const std::size_t each : alive) best = std::min(best, seconds[each]);
    const std::size_t first = alive.front();
    const auto is_out = [&](std::size_t i) { return i != first && seconds[i] > best * (1 + cut); };
    alive.erase(std::remove_if(alive.begin(), alive.end(), is_out), alive.end());
    if (alive.size() == 1) break;
    ++round;
  }
  const std::size_t first = alive.front();
  const std::size_t best = *std::min_element(
      alive.begin(), alive.end(), [&](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
  result.winner = first;
  if (best == first) return result;
  // The final: the two in turn, there and back.
  double first_s = trial(first, 2), best_s = trial(best, 2);
  best_s += trial(best, 2);
  first_s += trial(first, 2);
  const double gain = first_s / best_s - 1;
  if (gain <= kRaceMargin) return result;
  result.winner = best;
  result.gain = gain;
  return result;
}

}  // namespace assay::plugins::gemm
