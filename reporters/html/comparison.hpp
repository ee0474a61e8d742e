// SPDX-License-Identifier: Apache-2.0
//
// Two results side by side: what each is, what else differs, and each row on both sides.
#pragma once

#include "lib/comparison.hpp"

#include <string>

namespace assay::reporters {

[[nodiscard]] std::string render_html(const Comparison& comparison);

}  // namespace assay::reporters
