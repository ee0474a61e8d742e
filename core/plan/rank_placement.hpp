// SPDX-License-Identifier: Apache-2.0
//
// Where the processes of a case run, and which cases can share them. Internal to this component.
#pragma once

#include "plan/case_settings.hpp"
#include "plan/placement.hpp"
#include "plan/plan.hpp"
#include "system/inventory.hpp"

#include <string>

namespace assay::plan {

// The ranks of a layout, bound as the settings say. Without an inventory, or a backend that is there, nothing
// is bound. The first thing that keeps a rank from being bound goes to `problem`, which is "" if there is
// none.
[[nodiscard]] Placement place(const CaseSettings& settings, const Layout& layout,
                              const system::Inventory* inventory, bool is_there, std::string& problem);

// Cases with one key can share workers: all that is fixed before a worker starts.
[[nodiscard]] std::string worker_key(const PlannedCase& planned);

}  // namespace assay::plan
