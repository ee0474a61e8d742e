// SPDX-License-Identifier: Apache-2.0
//
// Where suites are sought.
#pragma once

#include "engine/surroundings.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace assay::engine {

// Folders in which suites are found by name, first wins.
[[nodiscard]] std::vector<std::filesystem::path> suite_folders(const Surroundings& surroundings);
// Their names, sorted.
[[nodiscard]] std::vector<std::string> suite_names(const Surroundings& surroundings);
// "quick", "suites/quick.yaml" → a file. Throws Error "usage.suite" with a suggestion.
[[nodiscard]] std::filesystem::path find_suite(const Surroundings& surroundings, const std::string& name);

}  // namespace assay::engine
