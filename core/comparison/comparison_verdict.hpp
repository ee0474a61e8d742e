// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/comparison.hpp"

namespace assay::comparison {

// Counts the rows and fills in the verdict.
void fill_verdict(model::Comparison& comparison);

}  // namespace assay::comparison
