// SPDX-License-Identifier: Apache-2.0
//
// Whether time grows with the first iterations. That of 2n being twice that of n does not show whether n were
// done, or half of them; from one quantum to two and from two to three the same must be added.
#include "measure/floor.hpp"
#include "measure/leader.hpp"
#include "statistics/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace assay::measure {
namespace {

constexpr double kLeastTicks = 100, kLeastQuantum_s = 2e-6;  // shorter ones are not seen by this clock
constexpr double kLeastStep = 0.25;  // of what both steps add; of half of the work one of them adds nothing
// What both add must be what quanta take in whole samples, or the readings were not of the work alone.
constexpr double kLeastStepGrowth = 1, kMostStepGrowth = 4;
constexpr double kStepBudget = 0.02;    // share of the visit's time that one reading of each may take
constexpr double kQuickStep_s = 5e-4;   // shorter ones are read so often that each has seen its floor
constexpr std::size_t kStepTries = 24;  // half of the work fails them all
constexpr int kStepRounds = 3;          // and again; what looks so by chance does not

enum class Steps { even, uneven, unclear };

// What one, two and three quanta take.
using Levels = std::array<double, 3>;

bool is_even(const Levels& levels, double tick_s) {
  const double least_s = std::min(levels[1] - levels[0], levels[2] - levels[1]);
  return least_s >= kLeastStep * (levels[2] - levels[0]) - 2 * tick_s;
}

bool is_half(const Levels& levels, double quantum_s, double tick_s) {
  const double growth_s = levels[2] - levels[0];
  return !is_even(levels, tick_s) && growth_s >= kLeastStepGrowth * quantum_s &&
         growth_s <= kMostStepGrowth * quantum_s;
}

// Half of the work looks so in the shortest readings, if these were left alone; else in the medians, too: single readings that
// others held up, or that were quick because something else rested, do not move those of many.
Steps steps_of(const std::array<std::vector<double>, 3>& readings, double quantum_s, double tick_s) {
  if (readings[0].empty()) return Steps::unclear;
  const Levels shortest{fastest(readings[0]), fastest(readings[1]), fastest(readings[2])};
  if (is_even(shortest, tick_s)) return Steps::even;
  const Levels medians{statistics::median(readings[0]), statistics::median(readings[1]),
                       statistics::median(readings[2])};
  const bool left_alone = std::all_of(readings.begin(), readings.end(), is_floor);
  const bool told = left_alone ? is_half(shortest, quantum_s, tick_s)
                               : readings[0].size() >= kStepTries && is_half(medians, quantum_s, tick_s);
  return told ? Steps::uneven : Steps::unclear;
}

std::string steps_told(const std::array<std::vector<double>, 3>& readings, std::uint64_t quantum) {
  return fmt::format("{}, {} and {} iterations took {:.3g}, {:.3g} and {:.3g} s", quantum, 2 * quantum,
                     3 * quantum, fastest(readings[0]), fastest(readings[1]), fastest(readings[2]));
}

}  // namespace

bool Leader::read_steps(StepReadings& readings, double quantum_s) {
  const std::size_t least = quantum_s <= kQuickStep_s ? kUndisturbed : 1;
  const double began_s = clock_.now_s();
  for (std::size_t attempt = 0; attempt < kStepTries; ++attempt) {
    std::array<std::optional<double>, 3> levels;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (!take(Phase::calibrate, (i + 1) * traits_.quantum, 1)) return false;
      levels[i] = reading_s();
    }
    const bool are_told = levels[0] && levels[1] && levels[2];
    for (std::size_t i = 0; i < levels.size() && are_told; ++i) readings[i].push_back(*levels[i]);
    if (readings[0].size() >= least && steps_of(readings, quantum_s, traits_.tick_s) == Steps::even) break;
    if (attempt >= 2 && clock_.now_s() - began_s > 4 * kStepBudget * settings_.max_time_s) break;
  }
  return true;
}

bool Leader::grows_from_one() {
  const std::uint64_t quantum = traits_.quantum;
  // The least, because other programs make readings longer: one that they held up would hide half of the work.
  const double quantum_s = least_per_iteration_s() * static_cast<double>(quantum);
  const bool short_enough = 6 * quantum_s <= kStepBudget * settings_.max_time_s;
  if (!settings_.guards.first_steps || settings_.profile || traits_.clock == ClockKind::simulated ||
      most() < 3 * quantum || !short_enough ||
      quantum_s < std::max(kLeastQuantum_s, kLeastTicks * traits_.tick_s))
    return true;
  StepReadings readings;
  const double kept_s = per_iteration_s_;
  bool is_unclear = false;
  for (int round = 0; round < kStepRounds; ++round) {
    readings = {};
    if (!read_steps(readings, quantum_s)) return false;
    per_iteration_s_ = kept_s;
    const Steps steps = steps_of(readings, quantum_s, traits_.tick_s);
    if (steps == Steps::even) return true;
    if (steps == Steps::unclear) is_unclear = true;
  }
  if (is_unclear) {
    summary_.uneven_time = 1;
    return true;
  }
  sampler_.end(SamplingEnd::invalid, "guard.time-not-proportional",
               steps_told(readings, quantum) +
                   ", where each step is due about the same; the timed region does not hold the work that it "
                   "counts");
  return false;
}

}  // namespace assay::measure
