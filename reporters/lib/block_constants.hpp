// SPDX-License-Identifier: Apache-2.0
//
// What all cases of a block share, for its heading. Internal to the pivot.
#pragma once

#include "lib/document.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

// "bf16, normal, m=n=k=8192, 4 ranks": parameters, conditions, environment, placement. At least one case.
[[nodiscard]] std::vector<std::string> constants_of(const std::vector<const Case*>& cases);

}  // namespace assay::reporters
