// SPDX-License-Identifier: Apache-2.0
//
// Finds the rows of several results that belong together.
#pragma once

#include "comparison/reading.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace assay::comparison {

// One case in one result.
struct CaseInResult {
  const LoadedResult* reading = nullptr;
  const model::Case* one = nullptr;
};

// A case as it is in all results that have it.
struct JoinedCase {
  std::vector<CaseInResult> before, after;
};

// Joins cases by id, and the remaining ones by their comparison key, which names no device, where that key is unique on both sides. In the order
// in which they first occur.
[[nodiscard]] std::vector<JoinedCase> join_cases(std::span<const LoadedResult> before,
                                                 std::span<const LoadedResult> after);

}  // namespace assay::comparison
