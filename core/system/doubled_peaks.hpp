// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"

namespace assay::system {

// A peak of somebody's own table (system/peaks.hpp) that is twice the cited one of the same model: a sheet's figure
// with 2:4 sparsity, or a link's with both directions added, of which no dense product and no copy one way gets more
// than half. Each is an error "peaks.doubled" that names the entry's source.
void refuse_doubled_peaks(const Json& own, const Json& cited, Diagnostics& diagnostics);

}  // namespace assay::system
