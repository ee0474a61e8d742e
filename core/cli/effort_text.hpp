// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/effort.hpp"

#include <string>

namespace assay::cli {

// Rounds and minutes of each case and what they show, as tables, with the sum and what was assumed.
[[nodiscard]] std::string effort_text(const engine::Effort& effort, int width);

}  // namespace assay::cli
