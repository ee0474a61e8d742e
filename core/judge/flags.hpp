// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"

namespace assay::judge {

// Everything a reader of a measured case should know before trusting it; nothing is removed because of a
// flag. Sets result.flags, in a fixed order.
void compute_flags(CaseResult& result, bool quick);

}  // namespace assay::judge
