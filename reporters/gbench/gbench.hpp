// SPDX-License-Identifier: Apache-2.0
//
// The result in the form of Google Benchmark's JSON files, for its compare.py and what else reads them.
#pragma once

#include "lib/document.hpp"

#include <string>

namespace assay::reporters {

[[nodiscard]] std::string render_gbench(const Document& document);

}  // namespace assay::reporters
