// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/context.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace assay::cli {

// "20261121T083012Z-5f1c": when, and four random hexadecimal digits.
[[nodiscard]] std::string make_run_id(double unix_time_s);

// Makes the folder for a run's files: `asked` (-o; must be new or empty), or assay-results/<suite>-<id> with
// the link `latest` beside it. Throws Error "file.unwritable".
[[nodiscard]] std::filesystem::path make_results_folder(const std::string& asked, const std::string& suite,
                                                        const std::string& id);

// Where the locks on devices live: one place for all users' runs on this machine that may see each other, or
// ASSAY_LOCK_FOLDER (for machines where that place is not shared, and for tests).
[[nodiscard]] std::filesystem::path lock_folder(const Context& context);

// Splits a command at blanks, minding quotes. Throws Error "usage.wrap" if one is left open.
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

}  // namespace assay::cli
