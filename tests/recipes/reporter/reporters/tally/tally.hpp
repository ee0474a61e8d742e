// SPDX-License-Identifier: Apache-2.0
//
// How many cases ended how, in one line.
#pragma once

#include "lib/document.hpp"

#include <string>

namespace assay::reporters {

// "12 passed, 1 failed\n": outcomes that occur, from the best to the worst.
[[nodiscard]] std::string render_tally(const Document& document);

}  // namespace assay::reporters
