// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"

namespace assay::judge {

// Everything a reader of a measured case should know before trusting it; nothing is removed because of a
// flag. Sets result.flags, in a fixed order.
void compute_flags(CaseResult& result, bool quick);

// Says of any case, measured or not, how its attempt in the run before ended (--failed).
void flag_earlier_attempt(CaseResult& result);

}  // namespace assay::judge
