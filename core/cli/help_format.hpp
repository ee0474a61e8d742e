// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <memory>

namespace assay::cli {

// Help that leads with examples. Lines longer than `width` columns are broken; 0 breaks none.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_with_examples_first(int width);

}  // namespace assay::cli
