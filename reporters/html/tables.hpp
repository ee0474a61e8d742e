// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"

#include <string>

namespace assay::reporters {

// The suite's own tables, escaped; "" where it has none.
[[nodiscard]] std::string html_tables(const Document& document);

}  // namespace assay::reporters
