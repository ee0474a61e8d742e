// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace assay::cli {

// Puts the options of `run` and `bench`, which are many, under headings of the help.
void group_options(CLI::App& command);

}  // namespace assay::cli
