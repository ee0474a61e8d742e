// SPDX-License-Identifier: Apache-2.0
//
// Where suites are sought.
#pragma once

#include "cli/context.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace assay::cli {

// Folders in which suites are found by name, first wins.
[[nodiscard]] std::vector<std::filesystem::path> suite_folders(const Context& context);
// Their names, sorted.
[[nodiscard]] std::vector<std::string> suite_names(const Context& context);
// "quick", "suites/quick.yaml" → a file. Throws Error "usage.suite" with a suggestion.
[[nodiscard]] std::filesystem::path find_suite(const Context& context, const std::string& name);

}  // namespace assay::cli
