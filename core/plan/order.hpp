// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.hpp"

#include <vector>

namespace assay::plan {

// The visits as they will run: every round goes through the worker keys in an order drawn from the seed, and
// through the cases of a key likewise; in every second round those that were in the first half of the one before it
// are in the last half, so that slow drift hits all alike. Predetermined cases have no visits. The same on every platform and standard library.
[[nodiscard]] std::vector<PlannedVisit> visit_order(const std::vector<PlannedCase>& cases, int rounds,
                                                    std::uint64_t seed);

}  // namespace assay::plan
