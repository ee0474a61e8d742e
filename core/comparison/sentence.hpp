// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/comparison.hpp"

#include <string>

namespace assay::comparison {

// How many rows changed, the worst of them, and what that can be put down to.
[[nodiscard]] std::string sentence_of(const model::Comparison& comparison);

}  // namespace assay::comparison
