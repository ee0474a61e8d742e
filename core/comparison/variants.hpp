// SPDX-License-Identifier: Apache-2.0
//
// Two variants of one result as two sides.
#pragma once

#include "comparison/reading.hpp"
#include "model/comparison.hpp"

#include <string>
#include <vector>

namespace assay::comparison {

struct VariantSides {
  LoadedResult before, after;                  // without the variant in their ids
  std::vector<model::Difference> differences;  // what the suite makes different
};
// Throws Error "result.no-variants" if no case is in both.
[[nodiscard]] VariantSides sides_of_variants(const LoadedResult& result, const std::string& before,
                                             const std::string& after);

}  // namespace assay::comparison
