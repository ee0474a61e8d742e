// SPDX-License-Identifier: Apache-2.0
//
// Whether time grows with the first iterations. That of 2n being twice that of n does not show whether n were
// done, or half of them; from one quantum to two and from two to three the same must be added.
#include "measure/floor.hpp"
#include "measure/leader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace assay::measure {
namespace {

constexpr double kLeastTicks = 100, kLeastQuantum_s = 2e-6;  // shorter ones are not seen by this clock
constexpr double kLeastStep = 0.25;  // of what both steps add; of half of the work one of them adds nothing
// What both add must be what quanta take in whole samples, or the readings were not of the work alone.
constexpr double kLeastStepGrowth = 1, kMostStepGrowth = 4;
constexpr double kStepBudget = 0.02;   // share of the visit's time that one reading of each may take
constexpr double kQuickStep_s = 5e-4;  // shorter ones are read so often that each has seen its floor
constexpr int kStepTries = 24;         // half of the work fails them all
constexpr int kStepRounds = 3;         // and again; what looks so by chance does not

enum class Steps { even, uneven, unclear };

Steps steps_of(const std::array<std::vector<double>, 3>& readings, double quantum_s, double tick_s) {
  const double one_s = fastest(readings[0]), two_s = fastest(readings[1]), three_s = fastest(readings[2]);
  const double growth_s = three_s - one_s;
  if (std::min(two_s - one_s, three_s - two_s) >= kLeastStep * growth_s - 2 * tick_s) return Steps::even;
  const bool of_the_work =
      growth_s >= kLeastStepGrowth * quantum_s && growth_s <= kMostStepGrowth * quantum_s;
  return of_the_work && std::all_of(readings.begin(), readings.end(), is_floor) ? Steps::uneven
                                                                                : Steps::unclear;
}

std::string steps_told(const std::array<std::vector<double>, 3>& readings, std::uint64_t quantum) {
  return fmt::format("{}, {} and {} iterations took {:.3g}, {:.3g} and {:.3g} s", quantum, 2 * quantum,
                     3 * quantum, fastest(readings[0]), fastest(readings[1]), fastest(readings[2]));
}

}  // namespace

bool Leader::read_steps(StepReadings& readings, double quantum_s) {
  const std::size_t least = quantum_s <= kQuickStep_s ? kUndisturbed : 1;
  const double began_s = clock_.now_s();
  for (int attempt = 0; attempt < kStepTries; ++attempt) {
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (!take(Phase::calibrate, (i + 1) * traits_.quantum, 1)) return false;
      readings[i].push_back(last_s_);
    }
    if (readings[0].size() >= least && steps_of(readings, quantum_s, traits_.tick_s) == Steps::even) break;
    if (attempt >= 2 && clock_.now_s() - began_s > 4 * kStepBudget * settings_.max_time_s) break;
  }
  return true;
}

bool Leader::grows_from_one() {
  const std::uint64_t quantum = traits_.quantum;
  // The least, because other programs make readings longer: one that they held up would hide half of the work.
  const double quantum_s = least_per_iteration_s_ * static_cast<double>(quantum);
  const bool short_enough = 6 * quantum_s <= kStepBudget * settings_.max_time_s;
  // A sample of one quantum cannot hold half of one.
  if (!settings_.guards.first_steps || settings_.profile || traits_.clock == ClockKind::simulated ||
      most() < 3 * quantum || n_ == quantum || !short_enough ||
      quantum_s < std::max(kLeastQuantum_s, kLeastTicks * traits_.tick_s))
    return true;
  StepReadings readings;
  const double kept_s = per_iteration_s_;
  for (int round = 0; round < kStepRounds; ++round) {
    readings = {};
    if (!read_steps(readings, quantum_s)) return false;
    per_iteration_s_ = kept_s;
    if (steps_of(readings, quantum_s, traits_.tick_s) != Steps::uneven) return true;
  }
  sampler_.end(Ending::invalid, "guard.time-not-proportional",
               steps_told(readings, quantum) +
                   ", where each step is due about the same; the timed region does not hold the work that it "
                   "counts");
  return false;
}

}  // namespace assay::measure
