// SPDX-License-Identifier: Apache-2.0
//
// What is added next to a suite to start from, as lines that are ready and commented out.
#pragma once

#include "catalog/catalog.hpp"

#include <string>

namespace assay::cli {

// Keys of the case behind its `with`: an axis, a reference, rounds, how long it is measured, a limit.
[[nodiscard]] std::string commented_keys(const catalog::Benchmark& benchmark);
// A question about that axis; "" where the benchmark has none.
[[nodiscard]] std::string commented_finding(const catalog::Benchmark& benchmark);

}  // namespace assay::cli
