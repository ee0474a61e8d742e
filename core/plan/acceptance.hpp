// SPDX-License-Identifier: Apache-2.0
//
// What an acceptance asks of the machine beyond `requires`: that no device is missing, and that somebody has
// said how many there should be. Internal to this component.
#pragma once

#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace assay::plan {

// The backends that the suite alone requires or whose devices its cases use, in order of first mention.
[[nodiscard]] std::vector<std::string> backends_in_use(const suite::Suite& suite, const Plan& plan);

// `policy: {complete: true}`: what the backends miss, by what they say of bus, driver and libraries.
[[nodiscard]] std::vector<Unmet> missing_devices(const suite::Suite& suite,
                                                 const std::vector<std::string>& backends,
                                                 const system::Inventory& inventory);

// `policy: {stated: true}`: the backends of which nobody has said how many devices there are. `site` is what
// --site says, or null.
[[nodiscard]] std::vector<Unmet> unstated_devices(const suite::Suite& suite,
                                                  const std::vector<std::string>& backends,
                                                  const system::Inventory& inventory, const Site* site);

}  // namespace assay::plan
