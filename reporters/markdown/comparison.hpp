// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/comparison.hpp"
#include "markdown/markdown.hpp"

#include <string>

namespace assay::reporters {

// Rows of least importance are left out to keep the budget, and counted.
[[nodiscard]] std::string render_markdown(const Comparison& comparison, const MarkdownOptions& options,
                                          PictureFiles* pictures = nullptr);

}  // namespace assay::reporters
