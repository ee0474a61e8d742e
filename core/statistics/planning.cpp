// SPDX-License-Identifier: Apache-2.0
#include "statistics/planning.hpp"

#include "statistics/between_runs.hpp"
#include "statistics/distribution.hpp"
#include "statistics/interval.hpp"
#include "statistics/summary.hpp"

#include <boost/math/distributions/non_central_t.hpp>

#include <algorithm>
#include <cmath>

namespace assay::statistics {

namespace {

constexpr std::size_t kMostPlannedRounds = 1000;
constexpr double kFirstMiss = 0.05;  // of both sides together, at the first look
// Beyond it an effect is seen whatever the rounds, and the noncentral distribution has no digits left.
constexpr double kCertain = 100;

}  // namespace

Components variance_components(std::span<const std::vector<double>> runs, double samples) {
  const SideMean side = side_mean(runs);
  Components components;
  double squares = 0, inverse_rounds = 0;
  for (const std::vector<double>& rounds : runs) {
    squares += std::pow(stdev(rounds), 2) * static_cast<double>(rounds.size() - 1);
    inverse_rounds += 1 / static_cast<double>(rounds.size()) / static_cast<double>(runs.size());
  }
  components.round_freedom = side.within_freedom;
  if (side.within_freedom > 0) {
    const double of_a_round = squares / side.within_freedom;
    components.of_a_round = std::sqrt(of_a_round);
    components.of_samples = std::sqrt(std::min(samples, of_a_round));
  }
  if (runs.size() > 1) {
    const double of_means = side.squares / static_cast<double>(runs.size() - 1);
    const double beyond_rounds = of_means - std::pow(components.of_a_round, 2) * inverse_rounds;
    components.of_runs = std::sqrt(std::max(0.0, beyond_rounds));
  }
  return components;
}

double power_of(double scatter, double distance, std::size_t rounds) {
  const double n = static_cast<double>(rounds);
  const double errors = distance * std::sqrt(n) / scatter;
  if (!(errors < kCertain)) return 1;
  const boost::math::non_central_t_distribution<double> seen(n - 1, errors);
  return boost::math::cdf(boost::math::complement(seen, student_t_quantile(0.975, n - 1)));
}

std::optional<std::size_t> rounds_to_see(double scatter, double distance) {
  // More rounds never show less: the fewest is found by halving.
  std::size_t few = kFewestProcessesForInterval, enough = kMostPlannedRounds;
  if (power_of(scatter, distance, enough) < kPower) return std::nullopt;
  while (few < enough) {
    const std::size_t middle = (few + enough) / 2;
    if (power_of(scatter, distance, middle) >= kPower)
      enough = middle;
    else
      few = middle + 1;
  }
  return enough;
}

double smallest_distance_seen(double scatter, std::size_t rounds) {
  double low = 0, high = kCertain * scatter;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (power_of(scatter, middle, rounds) >= kPower ? high : low) = middle;
  }
  return high;
}

double level_after_looks(int looks) { return 1 - kFirstMiss * std::exp2(-looks); }

int extended_rounds(int rounds) {
  return std::max(2 * rounds, static_cast<int>(kFewestProcessesForInterval));
}

}  // namespace assay::statistics
