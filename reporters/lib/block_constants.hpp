// SPDX-License-Identifier: Apache-2.0
//
// What all cases of a block share, and how its variants differ, for its heading.
#pragma once

#include "lib/document.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

// "bf16, normal, m=n=k=8192, 4 ranks": parameters, conditions, environment, placement. At least one case.
[[nodiscard]] std::vector<std::string> constants_of(const std::vector<const Case*>& cases);

// "before → after: env.OMP_NUM_THREADS 1 → 2": a variant's name does not say what it is. A line each but the first.
[[nodiscard]] std::vector<std::string> differences_of_variants(const std::vector<const Case*>& cases);

}  // namespace assay::reporters
