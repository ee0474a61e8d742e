// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/pivot.hpp"
#include "markdown/page.hpp"

namespace assay::reporters {

// How the ranks of each row went together: which was the slowest, and how far apart they began. Nothing if no
// row has several.
void write_ranks(const Block& block, Page& page);

}  // namespace assay::reporters
