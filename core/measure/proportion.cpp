// SPDX-License-Identifier: Apache-2.0
//
// Whether time is proportional to iterations: 2n of them should take about twice as long as n. The same readings give the
// part of a sample that does not grow with its iterations.
#include "measure/floor.hpp"
#include "measure/leader.hpp"
#include "statistics/change.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace assay::measure {
namespace {

constexpr double kProportionalFrom = 1.6, kProportionalTo = 2.4;
constexpr double kRatioBudget = 0.1;  // share of the visit's time that two readings may take
constexpr double kSetBudget = 0.1;    // and that the first set may take, unless it is a single pair
constexpr double kSecondBudget = 0.25;
constexpr std::size_t kSecondPairs = 24;
constexpr double kMostGrowth = 1000;  // of n, by the best of this many
constexpr int kReadings = 3;
constexpr int kLooks = 4;
// A set may be held up as a whole, and looks undisturbed where the same slice took each of its readings.
constexpr int kWrongSets = 2;
// Whatever an iteration is: the lanes of the largest devices together begin fewer in a second. Of work that
// is done once only n grows until what surrounds it fills a sample, and that may double by chance.
constexpr double kFastestIteration_s = 1e-14;
// Times the least that as many iterations, or fewer, were seen to take. Where n and 2n honest ones seem to take the same, both were
// held up, and n took 1.6 times as long as it needs or more. Work that is done once took as long as in other readings of n.
constexpr double kUsual = 1.5;
constexpr double kConclusive = 3.3;  // standard errors: by chance alone once in a thousand

}  // namespace

// What disturbs a reading only makes it longer, so that the shortest decide where some were left alone; else means, as far as
// their scatter lets them.
Leader::Growth Leader::growth_of(const PairReadings& pairs) {
  if (pairs.once_s.empty()) return Growth::unknown;
  // What agrees may all have been held up alike.
  const double known_s = least_per_iteration_s(pairs.n) * static_cast<double>(pairs.n);
  const bool is_usual = known_s == 0 || fastest(pairs.once_s) <= kUsual * known_s;
  const bool seen = is_usual && is_floor(pairs.once_s) && is_floor(pairs.twice_s);
  const double once_s = seen ? fastest(pairs.once_s) : statistics::mean(pairs.once_s);
  const double twice_s = seen ? fastest(pairs.twice_s) : statistics::mean(pairs.twice_s);
  summary_.n_ratio = twice_s / once_s;
  summary_.too_fast = twice_s < 2 * static_cast<double>(pairs.n) * kFastestIteration_s ? 1 : 0;
  if (summary_.too_fast != 0) return Growth::wrong;
  const auto errors_above = [&](double factor) {
    return statistics::standard_errors_above(factor, pairs.once_s, pairs.twice_s);
  };
  const double ratio = (twice_s + 2 * traits_.tick_s) / once_s;
  if (ratio >= (seen ? kProportionalFrom : kProvedBelow)) {
    // One long reading of 2n is enough to lift their mean.
    if (fastest(pairs.twice_s) < kLeastRatio * fastest(pairs.once_s)) return Growth::unknown;
    const bool above =
        seen ? summary_.n_ratio > kProportionalTo : errors_above(kProportionalTo) > kConclusive;
    return above ? Growth::uneven : seen ? Growth::proportional : Growth::likely;
  }
  if (ratio >= kLeastRatio) return Growth::uneven;
  const bool is_wrong = is_usual && (seen || errors_above(kProvedBelow) < -kConclusive);
  return is_wrong ? Growth::wrong : Growth::unknown;
}

// This many readings of n and of 2n in turn, and at least `least`; no more once they took so long. False: the visit ends.
bool Leader::read_pairs(PairReadings& pairs, std::size_t most, std::size_t least, double budget_s) {
  const double began_s = clock_.now_s();
  for (std::size_t i = 0; i < most; ++i) {
    if (i >= least && clock_.now_s() - began_s > budget_s) break;
    if (!take(Phase::calibrate, pairs.n, 1)) return false;
    const std::optional<double> once_s = reading_s();
    if (!take(Phase::calibrate, 2 * pairs.n, 1)) return false;
    const std::optional<double> twice_s = reading_s();
    if (!once_s || !twice_s) continue;
    pairs.once_s.push_back(*once_s);
    pairs.twice_s.push_back(*twice_s);
  }
  return true;
}

// n was chosen by samples that may have been disturbed, and what surrounds a region may fill a short one: it grows while the
// best of some readings is shorter than is due. False: the visit ends.
bool Leader::lengthen(std::uint64_t& n, std::uint64_t half) {
  for (;;) {
    std::vector<double> readings;
    for (int i = 0; i < kReadings && (readings.empty() || fastest(readings) < kRatioShortest_s); ++i) {
      if (!take(Phase::calibrate, n, 1)) return false;
      readings.push_back(reading_s().value_or(last_s_));
    }
    const double best_s = fastest(readings);
    if (best_s >= kRatioShortest_s / 2 || n >= half) return true;
    n = std::min(half, round_up(static_cast<double>(n) * std::min(kMostGrowth, kRatioShortest_s / best_s)));
  }
}

// The pairs at the n of samples are kept for what does not grow.
bool Leader::proportional() {
  if (!settings_.guards.proportion) return true;
  const std::uint64_t half = most() / 2 / traits_.quantum * traits_.quantum;
  // The least, because other programs make readings longer: work that is done once would go untested beside them.
  const double least_s = least_per_iteration_s();
  const double per_iteration_s = least_s > 0 ? std::min(least_s, per_iteration_s_) : per_iteration_s_;
  PairReadings pairs{std::min(half, n_), {}, {}};
  const double once_s = per_iteration_s * static_cast<double>(pairs.n);
  const bool simulated = traits_.clock == ClockKind::simulated;
  if (!simulated && 2 * once_s > kRatioBudget * settings_.max_time_s) {
    summary_.proportion_untested = 1;
    return true;
  }
  if (!read_pairs(pairs, kKeptPairs, 1, kSetBudget * settings_.max_time_s)) return false;
  summary_.pairs_n = pairs.n;
  summary_.pairs = static_cast<std::uint32_t>(pairs.once_s.size());
  std::copy(pairs.once_s.begin(), pairs.once_s.end(), summary_.once_s);
  std::copy(pairs.twice_s.begin(), pairs.twice_s.end(), summary_.twice_s);
  Growth found = growth_of(pairs);
  // Readings that are so long that they are fewer have a share of what other programs take, all of them.
  const bool is_told =
      found == Growth::proportional || (found == Growth::likely && pairs.once_s.size() < kKeptPairs);
  // A second set by itself: longer samples, of which what surrounds a region is a small share, and more of them, so that some are
  // left alone. Where all readings that chose n were held up it is too short, and is taken anew.
  bool is_settled = is_told;
  int wrong = 0;
  for (int look = 0; look < kLooks && !is_settled; ++look) {
    pairs = {pairs.n, {}, {}};
    if (!lengthen(pairs.n, half) ||
        !read_pairs(pairs, kSecondPairs, kKeptPairs, kSecondBudget * settings_.max_time_s))
      return false;
    found = growth_of(pairs);
    if (pairs.once_s.empty()) break;  // no reading tells: ranks began it apart
    const bool is_long = fastest(pairs.once_s) >= kRatioShortest_s / 2 || pairs.n >= half;
    if (!is_long) continue;
    if (found == Growth::wrong) ++wrong;
    const bool is_open = wrong > 0 && (found == Growth::wrong || found == Growth::unknown);
    is_settled = !is_open || wrong == kWrongSets || summary_.too_fast != 0;
  }
  if (!is_settled) found = Growth::unknown;
  if (found == Growth::wrong) summary_.not_proportional_n = pairs.n;
  if (found == Growth::unknown) summary_.n_ratio = 0;
  if (found == Growth::unknown || found == Growth::uneven) summary_.uneven_time = 1;
  return found != Growth::wrong;
}

}  // namespace assay::measure
