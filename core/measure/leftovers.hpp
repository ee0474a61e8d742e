// SPDX-License-Identifier: Apache-2.0
//
// Whether work was still under way when the samples had ended: what looks at its result then waits for it.
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

// Checks the result, the first time after the samples. If that took long it is checked once more, and both again
// after more samples, kLooksAgain times. On the case thread of every rank. Ending completed: nothing was waited for.
[[nodiscard]] Fault check_after_samples(Region& region, RankTeam& team, Clock& clock, const Traits& traits,
                                        const VisitSettings& settings, const VisitDurations& spent,
                                        const TakenSamples& taken);

// The same of release, which has nothing to be held against but the time of prepare.
[[nodiscard]] std::optional<GuardViolation> check_release_time(const Traits& traits,
                                                               const VisitSettings& settings,
                                                               const VisitDurations& spent, double release_s);

}  // namespace assay::measure
