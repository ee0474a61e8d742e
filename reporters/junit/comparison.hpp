// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/comparison.hpp"

#include <string>

namespace assay::reporters {

// A test case a row, in the portable dialect. A row that is shown to be slower is a failure of type "regression", one that is not shown to
// be no worse one of type "not_shown_no_worse", and what cannot be compared is skipped.
[[nodiscard]] std::string render_junit(const Comparison& comparison);

}  // namespace assay::reporters
