// SPDX-License-Identifier: Apache-2.0
//
// Samples on inputs that are new to the plugin, each of which is verified: a plugin that does the work once and keeps
// the result, or only works in verify, then returns a result of the old inputs.
#pragma once

#include "measure/clock.hpp"
#include "measure/rank_team.hpp"
#include "measure/region.hpp"
#include "measure/sampler.hpp"
#include "measure/visit_settings.hpp"

#include <cstdint>
#include <vector>

namespace assay::measure {

// Draws one to three changes of inputs from the visit's seed, each with a number of samples that follow on unchanged
// inputs. Together they take at most kNewInputsShare of the samples' time if one verification takes check_s, but
// there is always one.
inline constexpr double kNewInputsShare = 0.02;
struct NewInputs {
  std::uint64_t seed = 0;
  std::uint64_t samples_after = 0;
};
[[nodiscard]] std::vector<NewInputs> draw_new_inputs(std::uint64_t seed, double check_s, double samples_s);

// The result of these samples on this rank.
struct Renewal {
  Fault fault;           // ending completed: none
  bool offered = false;  // the plugin can change its inputs
};

// Runs on the case thread of every rank, after the samples, with the same arguments. New inputs are used for single
// quanta; for idempotent work every second change is used for a whole sample of `iterations`.
[[nodiscard]] Renewal measure_new_inputs(Region& region, RankTeam& team, const Traits& traits,
                                         const std::vector<NewInputs>& draws, std::uint64_t iterations,
                                         const GuardSet& guards = {});

}  // namespace assay::measure
