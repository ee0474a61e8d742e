// SPDX-License-Identifier: Apache-2.0
//
// Tests whether work was still in progress when the samples ended: then the first call that needs its result waits.
#pragma once

#include "measure/clock.hpp"
#include "measure/rank_team.hpp"
#include "measure/region.hpp"
#include "measure/sampler.hpp"
#include "measure/time_guards.hpp"
#include "measure/visit_settings.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace assay::measure {

// How long the parts of a visit took, by the host's clock.
struct VisitDurations {
  double prepare_s = 0;
  double verify_s = 0;   // before the samples
  double samples_s = 0;  // with calibration and warm-up
};

// The samples of a visit.
struct TakenSamples {
  std::uint64_t iterations = 0;  // of each
  std::size_t samples = 0;
};

// Verifies the result for the first time after the samples. If that takes longer than before them, verifies again to
// compare, and repeats both after more samples until it is clear whether something had to be waited for. Runs on the
// case thread of every rank. The ending is `completed` if nothing had to be.
[[nodiscard]] Fault check_after_samples(Region& region, RankTeam& team, Clock& clock, const Traits& traits,
                                        const VisitSettings& settings, const VisitDurations& spent,
                                        const TakenSamples& taken);

// The same test for release, which can only be compared with the time of prepare.
[[nodiscard]] std::optional<GuardViolation> check_release_time(const Traits& traits,
                                                               const VisitSettings& settings,
                                                               const VisitDurations& spent, double release_s);

}  // namespace assay::measure
