// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.hpp"

#include <string>

namespace assay::plan {

// SHA-256 over everything in the plan that can change a result. Ignores plan.hash.
[[nodiscard]] std::string plan_hash(const Plan& plan);

}  // namespace assay::plan
