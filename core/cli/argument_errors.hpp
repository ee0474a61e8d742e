// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with the arguments of the program, in plain words.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace assay::cli {

// The command that the arguments reached before they went wrong.
[[nodiscard]] const CLI::App& reached(const CLI::App& app);

[[nodiscard]] std::vector<std::string> subcommand_names(const CLI::App& app);

// What CLI11 found wrong, with a suggestion where a word is misspelt. `words` are the arguments.
[[nodiscard]] std::string explain_arguments(const CLI::App& program, const CLI::ParseError& error,
                                            const std::vector<std::string>& words);

}  // namespace assay::cli
