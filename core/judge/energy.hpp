// SPDX-License-Identifier: Apache-2.0
//
// What an iteration takes of the devices' energy, from the counters that their backend reads.
#pragma once

#include "judge/case_result.hpp"

#include <optional>

namespace assay::judge {

// Energy of one visit over its iterations, all devices of the case together.
struct EnergyOfVisit {
  double per_iteration_J = 0;
  // How far it may be off: at both ends of the readings the counter is as old as its own period at most.
  double uncertainty_J = 0;
};

// From the first to the last reading that came while samples were taken, over the iterations in that time, parts of
// samples included; what lies between samples is in it. Nothing where a device has no such counter, or it moved less
// than five times meanwhile.
[[nodiscard]] std::optional<EnergyOfVisit> energy_of(const result::Visit& visit,
                                                     const std::vector<std::string>& devices);

// Adds the metric energy_per_iteration if all visits tell.
void add_energy(CaseResult& result);

}  // namespace assay::judge
