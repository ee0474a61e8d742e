// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"
#include "markdown/page.hpp"

namespace assay::reporters {

// The suite's own tables; nothing where it has none.
void write_tables(const Document& document, Page& page);

}  // namespace assay::reporters
