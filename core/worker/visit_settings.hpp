// SPDX-License-Identifier: Apache-2.0
//
// What the loop is told of a visit: the controller's wishes and the plugin's traits, in its words.
#pragma once

#include "measure/visit_settings.hpp"
#include "wire/messages.hpp"

#include <assay/abi/v1.h>

namespace assay::worker {

inline measure::VisitSettings settings_of(const wire::StartVisit& start) {
  const bool is_rate = start.headline == "rate";
  return {
      {start.measure}, is_rate ? measure::Headline::rate : measure::Headline::duration, start.profile, {}};
}

inline measure::Traits traits_of(const assay_traits& traits) {
  return {static_cast<measure::ClockKind>(traits.clock),
          traits.tick_s,
          traits.quantum,
          traits.maximum,
          (traits.flags & ASSAY_TRAIT_LAPS) != 0,
          (traits.flags & ASSAY_TRAIT_PARTS) != 0,
          (traits.flags & ASSAY_TRAIT_IDEMPOTENT) != 0,
          traits.launches_per_iteration};
}

}  // namespace assay::worker
