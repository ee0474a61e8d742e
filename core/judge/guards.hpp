// SPDX-License-Identifier: Apache-2.0
//
// Rules of physics and bookkeeping that hold for every benchmark, whatever its suite expects.
#pragma once

#include "judge/case_result.hpp"

#include <string>
#include <vector>

namespace assay::judge {

using model::Guard;

// The guards that fire on a case with computed metrics: device time above host time, n and 2n iterations not
// about 1 : 2, conditions other than asked for, a rate above what the hardware can do.
[[nodiscard]] std::vector<Guard> check_guards(const CaseResult& result);

}  // namespace assay::judge
