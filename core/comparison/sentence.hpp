// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/comparison.hpp"

#include <string>

namespace assay::comparison {

// A sentence: how many rows changed, the worst of them, and the likely cause.
[[nodiscard]] std::string sentence_of(const model::Comparison& comparison);

}  // namespace assay::comparison
