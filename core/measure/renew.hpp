// SPDX-License-Identifier: Apache-2.0
//
// Samples on inputs that are new to the plugin, each of which is verified: work that was done once and kept, or
// that is done in verify only, gives a result of the old inputs.
#pragma once

#include "measure/clock.hpp"
#include "measure/rank_team.hpp"
#include "measure/region.hpp"
#include "measure/sampler.hpp"
#include "measure/visit_settings.hpp"

#include <cstdint>
#include <vector>

namespace assay::measure {

// One to three, and after each this many samples on inputs as they are: drawn from the visit's seed. Not more
// than kNewInputsShare of the samples' time goes into them, if one verification takes check_s, but one at least.
inline constexpr double kNewInputsShare = 0.02;
struct NewInputs {
  std::uint64_t seed = 0;
  std::uint64_t samples_after = 0;
};
[[nodiscard]] std::vector<NewInputs> draw_new_inputs(std::uint64_t seed, double check_s, double samples_s);

// What came of them on this rank.
struct Renewal {
  Fault fault;           // ending completed: none
  bool offered = false;  // the plugin can change its inputs
};

// On the case thread of every rank, after the samples and with the same arguments. New inputs are given to single
// quanta, and to every second of idempotent work's to whole samples of `iterations`.
[[nodiscard]] Renewal measure_new_inputs(Region& region, RankTeam& team, const Traits& traits,
                                         const std::vector<NewInputs>& draws, std::uint64_t iterations,
                                         const GuardSet& guards = {});

}  // namespace assay::measure
