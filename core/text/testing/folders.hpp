// SPDX-License-Identifier: Apache-2.0
//
// Where this copy of the repository and its build lie. Tests only.
//
// Functions of one source instead of definitions for each test's compiler: objects of other copies would differ, and ccache could
// give back none of them.
#pragma once

#include <filesystem>

namespace assay {

// The folder that holds core, plugins and tests.
[[nodiscard]] std::filesystem::path source_folder();

// The folder that holds bin and lib.
[[nodiscard]] std::filesystem::path build_folder();

}  // namespace assay
