// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/view.hpp"
#include "markdown/page.hpp"

namespace assay::reporters {

// The headline over sizes: of a block with an axis of numbers and others, that axis downwards and the others
// across, each value with its change to the reference and the verdict. False if the block is no such sweep.
bool write_sweep(const Block& block, const BlockView& view, Page& page);

}  // namespace assay::reporters
