// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"

#include <cstddef>

namespace assay::judge {

// The case as if it had had this round only, with the round's values for exact. `round` counts its last_attempts.
[[nodiscard]] CaseResult only_round(const CaseResult& result, std::size_t round);

}  // namespace assay::judge
