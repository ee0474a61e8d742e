// SPDX-License-Identifier: Apache-2.0
//
// How many iterations a sample holds.
#include "measure/leader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::measure {
namespace {

constexpr double kAgreement = 0.1;  // two readings agree within this share
constexpr int kMostReadings = 8;    // at one n; work that never agrees is measured all the same
constexpr int kMostSteps = 64;
constexpr double kGrowth = 10;  // per step: readings of few iterations are a poor forecast
constexpr double kMargin = 1.2;
constexpr double kBudget = 0.2;          // share of the time that calibration may take
constexpr double kHeldSamples = 10'000;  // a held load keeps about this many samples

}  // namespace

std::uint64_t Leader::most() const {
  const std::uint64_t limit =
      traits_.maximum == 0 ? kMostIterations : std::min(traits_.maximum, kMostIterations);
  return std::max(traits_.quantum, limit / traits_.quantum * traits_.quantum);
}

std::uint64_t Leader::quanta(double count) const {
  if (count < 1) return traits_.quantum;
  if (count * static_cast<double>(traits_.quantum) >= static_cast<double>(most())) return most();
  return static_cast<std::uint64_t>(count) * traits_.quantum;
}

std::uint64_t Leader::round_down(double iterations) const {
  return quanta(std::floor(iterations / static_cast<double>(traits_.quantum)));
}

std::uint64_t Leader::round_up(double iterations) const {
  // A hair less, so that a product that rounding left just above a whole number stays there.
  return quanta(std::ceil(iterations / static_cast<double>(traits_.quantum) * (1 - 1e-12)));
}

bool Leader::calibrate() {
  summary_.phase = Phase::calibrate;
  const bool only_choice = most() < 2 * traits_.quantum;
  const bool least = settings_.samples == 1 && settings_.warmup == 0;
  if (only_choice || least) return true;

  const double longest = settings_.thermal == Thermal::burst ? kLongestBurstSample_s : kLongestSample_s;
  // Well below the longest, so that noise does not throw n to and fro between the two.
  const double shortest = std::min(
      longest / 2,
      std::max({kShortestSample_s, kShortestSampleTicks * traits_.tick_s, settings_.hold_s / kHeldSamples}));
  double previous = 0, previous_skew_s = 0;
  int readings = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    if (!take(Phase::calibrate, n_, 1)) return false;
    const double now = last_s_;
    // Of two readings, because a single one may have been held up by chance.
    const double skew_s = std::min(overlap_.skew_s, std::exchange(previous_skew_s, overlap_.skew_s));
    const double due = std::min(longest / 2, std::max(shortest, kShortestSampleSkews * skew_s));
    if (now > longest && n_ > traits_.quantum) {
      n_ = std::min(n_ - traits_.quantum, round_down(static_cast<double>(n_) * longest / now));
      previous = 0;
      readings = 0;
      continue;
    }
    if (now < due && n_ < most()) {
      const double factor = std::min(kGrowth, kMargin * due / now);
      n_ = std::max(n_ + traits_.quantum, round_up(static_cast<double>(n_) * factor));
      n_ = std::min(n_, most());
      previous = 0;
      readings = 0;
      continue;
    }
    const bool agree = previous > 0 && std::abs(now - previous) <= kAgreement * std::max(now, previous);
    const bool cannot_change = previous > 0 && n_ == traits_.quantum && now >= longest;
    if (agree || cannot_change || ++readings == kMostReadings || spent_s() > kBudget * settings_.max_time_s)
      break;
    previous = now;
  }
  if (last_s_ < kShortestSampleTicks * traits_.tick_s) summary_.resolution_limited = 1;
  return proportional();
}

}  // namespace assay::measure
