// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"
#include "markdown/page.hpp"

namespace assay::reporters {

// Flags by code, because a machine that is not steady flags nearly every case; each text with its cases in a fold.
void write_flags(const Document& document, Page& page);

}  // namespace assay::reporters
