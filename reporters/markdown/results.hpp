// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"
#include "markdown/page.hpp"

namespace assay::reporters {

// One section a case of the suite: the table over its matrix, group checks, what was counted.
void write_results(const Document& document, Page& page);

}  // namespace assay::reporters
