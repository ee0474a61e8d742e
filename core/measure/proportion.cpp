// SPDX-License-Identifier: Apache-2.0
//
// Whether time is proportional to iterations: 2n of them are due about twice the time of n.
#include "measure/floor.hpp"
#include "measure/leader.hpp"
#include "statistics/compare.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace assay::measure {
namespace {

constexpr double kLeastRatio = 1.5, kMostRatio = 2.5;
constexpr double kRatioBudget = 0.1;  // share of the visit's time that two readings may take
constexpr int kTries = 8;             // a busy machine may spoil several; work that lies fails them all
constexpr int kReadings = 3;
constexpr double kMostGrowth = 1000;      // of n, by the best of so many
constexpr double kQuickReading_s = 0.01;  // longer ones are read once a try
// Where none is: readings that last longer, so that what other programs take becomes an equal share of all.
constexpr double kMostLonger = 8;
constexpr int kLongReadings = 16;  // half of them if they take more than their share of the visit's time
constexpr double kLongBudget = 0.3;
// Whatever an iteration is: the lanes of the largest devices together begin fewer in a second. Of work that
// is done once only n grows until what surrounds it fills a sample, and that may double by chance.
constexpr double kFastestIteration_s = 1e-14;
constexpr double kConclusive = 3.3;  // standard errors: by chance alone once in a thousand

bool possible(std::uint64_t iterations, double seconds) {
  return seconds >= static_cast<double>(iterations) * kFastestIteration_s;
}

bool has_floor(const std::vector<double>& once_s, const std::vector<double>& twice_s) {
  return is_floor(once_s) && is_floor(twice_s);
}

}  // namespace

bool Leader::read(std::uint64_t n, Readings& readings) {
  double began_s = clock_.now_s();
  if (!take(Phase::calibrate, n, 1)) return false;
  readings.once_s.push_back(last_s_);
  readings.once_wall_s.push_back(clock_.now_s() - began_s);
  began_s = clock_.now_s();
  if (!take(Phase::calibrate, 2 * n, 1)) return false;
  readings.twice_s.push_back(last_s_);
  readings.twice_wall_s.push_back(clock_.now_s() - began_s);
  return true;
}

// Time that grows too fast is no lie unless our own clock did not see at least half of the growth: another
// program had the processors. What surrounds a region waits for them, too, which hides growth or makes it up,
// so that only what its scatter lets us conclude is held against the plugin.
bool Leader::was_seen(double once_s, double twice_s, const Readings& readings) const {
  if (traits_.clock == ClockKind::simulated) return false;
  for (std::size_t i = 0; i < readings.twice_s.size(); ++i)
    if (readings.twice_s[i] > 1.01 * readings.twice_wall_s[i]) return false;
  std::vector<double> half_s = readings.once_wall_s;
  for (double& seconds : half_s) seconds += 0.5 * (twice_s - once_s);
  return statistics::standard_errors_above(1, half_s, readings.twice_wall_s) >= -kConclusive;
}

// What disturbs a reading only ever makes it longer: the best of each count.
Leader::Growth Leader::growth_of_best(std::uint64_t n, const Readings& readings) {
  const double once_s = fastest(readings.once_s), twice_s = fastest(readings.twice_s);
  summary_.n_ratio = twice_s / once_s;
  summary_.too_fast = possible(2 * n, twice_s) ? 0 : 1;
  const double slack = 2 * traits_.tick_s;
  const bool enough = twice_s >= kLeastRatio / 2 * (2 * once_s - kRegionOffset_s) - slack;
  if (!enough || summary_.too_fast != 0) return Growth::wrong;
  if (twice_s <= kMostRatio * once_s + slack) return Growth::proportional;
  return was_seen(once_s, twice_s, readings) ? Growth::uneven : Growth::wrong;
}

// Where every reading was disturbed their means tell, as far as the readings' scatter lets them.
Leader::Growth Leader::growth_of_means(std::uint64_t n, const Readings& readings) {
  const double once_s = statistics::mean(readings.once_s), twice_s = statistics::mean(readings.twice_s);
  const double above_least =
      statistics::standard_errors_above(kLeastRatio, readings.once_s, readings.twice_s);
  const double above_most = statistics::standard_errors_above(kMostRatio, readings.once_s, readings.twice_s);
  summary_.n_ratio = twice_s / once_s;
  summary_.too_fast = possible(2 * n, twice_s) ? 0 : 1;
  if (above_least < -kConclusive || summary_.too_fast != 0) return Growth::wrong;
  if (above_most > kConclusive && !was_seen(once_s, twice_s, readings)) return Growth::wrong;
  return above_least > 0 && above_most < 0 ? Growth::proportional : Growth::uneven;
}

// n was chosen by samples that may have been disturbed: it grows, and the readings begin anew, while the best
// of them is shorter than is due.
bool Leader::lengthened(std::uint64_t& n, std::uint64_t half, Readings& readings) const {
  const double best_s = fastest(readings.once_s);
  if (best_s >= kRatioShortest_s / 2 || n >= half) return false;
  n = std::min(half, round_up(static_cast<double>(n) * std::min(kMostGrowth, kRatioShortest_s / best_s)));
  readings = {};
  return true;
}

// Up to kTries times so many readings of n and of 2n, until the best of them double, and if it is asked for
// are the floor. n may grow up to half of what one sample may hold. Nothing if one failed.
std::optional<Leader::Growth> Leader::growth_of_short(std::uint64_t& n, std::uint64_t half, bool with_floor,
                                                      Readings& readings) {
  auto found = Growth::wrong;
  for (int attempt = 0; attempt < kTries;) {
    for (int reading = 0; reading < kReadings; ++reading) {
      if (!read(n, readings)) return std::nullopt;
      if (fastest(readings.once_s) > kQuickReading_s) break;
    }
    if (lengthened(n, half, readings)) continue;
    ++attempt;
    found = growth_of_best(n, readings);
    if (found == Growth::proportional && (!with_floor || has_floor(readings.once_s, readings.twice_s)))
      return found;
  }
  return with_floor ? Growth::wrong : found;
}

// Readings that last longer, up to half of what one sample may hold. Nothing if one failed.
std::optional<Leader::Growth> Leader::growth_of_long(std::uint64_t& n, std::uint64_t half,
                                                     const Readings& shorter) {
  const double budget_s = kLongBudget * settings_.max_time_s;
  const double fit = budget_s / (3 * kLongReadings * statistics::mean(shorter.once_s));
  n = std::min(half, round_up(static_cast<double>(n) * std::clamp(fit, 1.0, kMostLonger)));
  Readings readings;
  const double began_s = clock_.now_s();
  for (int reading = 0; reading < kLongReadings; ++reading) {
    if (reading >= kLongReadings / 2 && clock_.now_s() - began_s > budget_s) break;
    if (!read(n, readings)) return std::nullopt;
  }
  return growth_of_means(n, readings);
}

bool Leader::proportional() {
  if (!settings_.guards.proportion) return true;
  const double per_sample = last_s_;
  const std::uint64_t half = most() / 2 / traits_.quantum * traits_.quantum;
  const double wanted = static_cast<double>(n_) * std::max(1.0, kRatioShortest_s / per_sample);
  std::uint64_t n = std::min(half, round_up(wanted));
  const double expected_s = per_sample * static_cast<double>(n) / static_cast<double>(n_);
  const bool costly =
      traits_.clock != ClockKind::simulated && 2 * expected_s > kRatioBudget * settings_.max_time_s;
  if (costly) return true;
  Readings readings;
  std::optional<Growth> found = growth_of_short(n, half, false, readings);
  std::uint64_t judged_n = n;
  if (found && found != Growth::proportional && !has_floor(readings.once_s, readings.twice_s))
    found = growth_of_long(judged_n, half, readings);
  if (found == Growth::wrong) {
    // A machine that lets everything wait equally long looks the same for a while; work that lies, always. So
    // a second look counts if it sees the floor.
    const double wrong_ratio = summary_.n_ratio;
    readings = {};
    found = growth_of_short(n, half, true, readings);
    if (found == Growth::wrong) {
      summary_.n_ratio = wrong_ratio;
      summary_.not_proportional_n = judged_n;
    } else if (found) {
      found = Growth::uneven;
    }
  }
  if (!found || found == Growth::wrong) return false;
  if (found == Growth::uneven) {
    summary_.n_ratio = 0;  // the machine does not let it be tested
    summary_.uneven_time = 1;
  }
  return true;
}

}  // namespace assay::measure
