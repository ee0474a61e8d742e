// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"
#include "engine/surroundings.hpp"
#include "plan/plan.hpp"
#include "suite/suite.hpp"

namespace assay::engine {

// The programs that the plan's commands start, and the scripts among their arguments: a readable name → SHA-256, or
// why there is none. Files that these programs read in turn are unknown. Null if the plan has no commands.
[[nodiscard]] Json programs_of(const suite::Suite& suite, const plan::Plan& plan,
                               const Surroundings& surroundings);

}  // namespace assay::engine
