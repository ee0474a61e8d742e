// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"

namespace assay::system {

// Reports each peak of a user's table (system/peaks.hpp) that is twice the cited one of the same model as an error
// "peaks.doubled", which names the entry's source. Such a peak is a data sheet's figure with 2:4 sparsity, or the sum
// of both directions of a link; no dense product and no one-way copy reaches more than half of it.
void refuse_doubled_peaks(const Json& own, const Json& cited, Diagnostics& diagnostics);

}  // namespace assay::system
