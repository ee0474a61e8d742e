// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "console/console.hpp"
#include "lib/comparison.hpp"

#include <string>

namespace assay::reporters {

// The sentence, what else differs, a row a line (the most important 50), and what these runs could have shown.
[[nodiscard]] std::string render_console(const Comparison& comparison, const ConsoleOptions& options);

}  // namespace assay::reporters
