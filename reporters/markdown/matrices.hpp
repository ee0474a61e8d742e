// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"
#include "lib/pivot.hpp"
#include "markdown/page.hpp"

namespace assay::reporters {

// What the block measured between every two devices, as tables with a shaded scale and what stands out in
// them; what it measured with one index, as a list.
void write_matrices(const Block& block, const std::vector<Backend>& backends, Page& page);

}  // namespace assay::reporters
