// SPDX-License-Identifier: Apache-2.0
//
// assay bench -- ./program …: commands of the user's own as a suite.
#pragma once

#include "cli/setting_words.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::cli {

using Words = std::vector<std::string>;

// What stands behind the first "--" of a command line, cut at each further one; `words` keeps what stands before it.
// Throws Error "usage.command" where nothing stands between two of them.
[[nodiscard]] std::vector<Words> take_commands(Words& words);

// A case for each command, run this many times, a round each; of several each later one is compared with the first. A setting
// that is not a key of a case is a parameter: commands have it as {name}, braces with anything else in them are as they are
// written. Throws Error "usage.parameter" where no command has it.
[[nodiscard]] std::string command_suite(const std::vector<Words>& commands,
                                        const std::vector<SettingText>& settings, std::uint64_t runs);

}  // namespace assay::cli
