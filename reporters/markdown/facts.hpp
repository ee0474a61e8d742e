// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/pivot.hpp"
#include "markdown/page.hpp"

namespace assay::reporters {

// What plugins said of the block's cases: what all share in one line, what follows an axis in one line each,
// the rest by row, to be folded away.
void write_facts(const Block& block, Page& page);

}  // namespace assay::reporters
