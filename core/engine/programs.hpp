// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"
#include "engine/surroundings.hpp"
#include "plan/plan.hpp"
#include "suite/suite.hpp"

namespace assay::engine {

// What the plan's commands start, and the scripts that are words of them: a name for people → SHA-256, or why there
// is none. What these read in turn nobody knows. Null if the plan has no commands.
[[nodiscard]] Json programs_of(const suite::Suite& suite, const plan::Plan& plan,
                               const Surroundings& surroundings);

}  // namespace assay::engine
