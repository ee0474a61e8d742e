// SPDX-License-Identifier: Apache-2.0
//
// How large a result will be at least, known before anything runs.
#pragma once

#include "base/diagnostics.hpp"
#include "plan/plan.hpp"
#include "suite/suite.hpp"

#include <cstddef>

namespace assay::judge {

// Bytes that no shortening takes away: of each case how it is measured, who it is and what is expected of it.
[[nodiscard]] std::size_t least_result_bytes(const suite::Suite& suite, const plan::Plan& plan);

// An error at the largest case if no result can hold the plan.
void refuse_too_large(const suite::Suite& suite, const plan::Plan& plan, std::size_t most_bytes,
                      Diagnostics& diagnostics);

}  // namespace assay::judge
