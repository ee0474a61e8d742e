// SPDX-License-Identifier: Apache-2.0
//
// How many iterations a sample holds, and whether time is proportional to them.
#include "measure/leader.hpp"

#include <algorithm>
#include <cmath>

namespace assay::measure {
namespace {

constexpr double kAgreement = 0.1;  // two readings agree within this share
constexpr int kMostReadings = 8;    // at one n; work that never agrees is measured all the same
constexpr int kMostSteps = 64;
constexpr double kGrowth = 10;  // per step: readings of few iterations are a poor forecast
constexpr double kMargin = 1.2;
constexpr double kBudget = 0.2;          // share of the time that calibration may take
constexpr double kHeldSamples = 10'000;  // a held load keeps about so many samples
constexpr double kRatioBudget = 0.1;
constexpr int kRatioTries = 8;  // a busy machine may spoil several; work that lies fails them all
constexpr int kRatioReadings = 3;
constexpr double kQuickReading_s = 0.01;  // longer ones are read once a try

// Keeps the shorter of two durations; 0 is none yet.
void keep_best(double& best_s, double now_s) { best_s = best_s > 0 ? std::min(best_s, now_s) : now_s; }

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
  double previous = 0;
  int readings = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    if (!take(Phase::calibrate, n_, 1)) return false;
    const double now = last_s_;
    if (now > longest && n_ > traits_.quantum) {
      n_ = std::min(n_ - traits_.quantum, round_down(static_cast<double>(n_) * longest / now));
      previous = 0;
      readings = 0;
      continue;
    }
    if (now < shortest && n_ < most()) {
      const double factor = std::min(kGrowth, kMargin * shortest / now);
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

bool Leader::best_readings(std::uint64_t n, Readings& best) {
  for (int reading = 0; reading < kRatioReadings; ++reading) {
    double began_s = clock_.now_s();
    if (!take(Phase::calibrate, n, 1)) return false;
    keep_best(best.once_s, last_s_);
    keep_best(best.once_wall_s, clock_.now_s() - began_s);
    began_s = clock_.now_s();
    if (!take(Phase::calibrate, 2 * n, 1)) return false;
    keep_best(best.twice_s, last_s_);
    keep_best(best.twice_wall_s, clock_.now_s() - began_s);
    if (best.once_s > kQuickReading_s) break;
  }
  return true;
}

bool Leader::proportional() {
  const double per_sample = last_s_;
  const std::uint64_t half = most() / 2 / traits_.quantum * traits_.quantum;
  const double wanted = static_cast<double>(n_) * std::max(1.0, kRatioShortest_s / per_sample);
  const std::uint64_t n = std::min(half, round_up(wanted));
  const double expected_s = per_sample * static_cast<double>(n) / static_cast<double>(n_);
  const bool costly =
      traits_.clock != ClockKind::simulated && 2 * expected_s > kRatioBudget * settings_.max_time_s;
  if (costly) return true;
  // The best readings of all attempts count: what disturbs a reading only ever makes it longer.
  Readings best;
  bool excused = false;
  for (int attempt = 0; attempt < kRatioTries; ++attempt) {
    if (!best_readings(n, best)) return false;
    const double once_s = best.once_s;
    const double twice_s = best.twice_s;
    summary_.n_ratio = twice_s / once_s;
    const double slack = 2 * traits_.tick_s;
    const bool enough = twice_s >= 0.75 * (2 * once_s - kRegionOffset_s) - slack;
    // Time that grows too fast is no lie if our own clock saw it grow, too: another program had the
    // processors. (Our clock also sees what surrounds the region, so it need not agree on all of it.)
    const bool seen_here = traits_.clock != ClockKind::simulated &&
                           best.twice_wall_s - best.once_wall_s >= 0.5 * (twice_s - once_s) &&
                           twice_s <= 1.01 * best.twice_wall_s;
    const bool not_too_much = twice_s <= 2.5 * once_s + slack;
    // So many iterations in so short a time were not done.
    const bool possible = 2 * n < kMostIterations || twice_s >= kRatioShortest_s;
    if (enough && not_too_much && possible) return true;
    excused = enough && possible && seen_here;
  }
  if (excused) {
    summary_.n_ratio = 0;  // the machine does not let it be tested
    summary_.uneven_time = 1;
    return true;
  }
  summary_.not_proportional_n = n;
  return false;
}

}  // namespace assay::measure
