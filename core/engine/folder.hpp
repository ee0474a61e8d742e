// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/surroundings.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace assay::engine {

// "20261121T083012Z-5f1c": when, and four random hexadecimal digits.
[[nodiscard]] std::string make_run_id(double unix_time_s);

struct ResultsFolder {
  std::filesystem::path path;
  bool made = false;  // it was not there before
};
// Makes the folder for a run's files: `asked` (-o; must be new or empty), or assay-results/<suite>-<id>.
// Throws Error "file.unwritable".
[[nodiscard]] ResultsFolder make_results_folder(const std::string& asked, const std::string& suite,
                                                const std::string& id);

// Lets `latest` beside the folder point to it. That this may not be possible is not an error.
void link_latest(const Surroundings& surroundings, const std::filesystem::path& folder);

// The folder of a run to be resumed. Throws Error "usage.resume" if it is none.
[[nodiscard]] std::filesystem::path folder_to_resume(const std::string& named);

// Where the locks on devices live: one place for all users' runs on this machine that may see each other, or
// ASSAY_LOCK_FOLDER (for machines where that place is not shared, and for tests).
[[nodiscard]] std::filesystem::path lock_folder(const Surroundings& surroundings);

// Splits a command at blanks, minding quotes. Throws Error "usage.wrap" if one is left open.
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

}  // namespace assay::engine
