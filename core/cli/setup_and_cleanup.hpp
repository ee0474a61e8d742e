// SPDX-License-Identifier: Apache-2.0
//
// What is done before and after the executions of commands: bench --setup and --cleanup.
#pragma once

#include "cli/context.hpp"

#include <functional>
#include <string>
#include <vector>

namespace assay::cli {

// Command lines for /bin/sh: none, one for all commands, or one for each in their order. {name} is a parameter of the
// command; a line that has one is run for each of its values.
struct SetupAndCleanup {
  std::vector<std::string> setup, cleanup;

  [[nodiscard]] bool is_nothing() const { return setup.empty() && cleanup.empty(); }
};

// The lines for each case of a suite of commands. Throws Error "usage.setup" where they are neither one nor one each.
[[nodiscard]] std::vector<std::vector<std::string>> lines_of_commands(const std::string& option,
                                                                      const std::vector<std::string>& lines,
                                                                      const std::string& suite);

// Runs every setup, then `run`, then the cleanup of each command whose setup went well, whatever `run` came to. `run` gets
// the cleanup, to be called as soon as everything is measured, so that its exit code counts before the last line is
// printed; what `run` leaves out is done when it ends. Throws Error "command.setup" for a line that fails, with what it
// printed; a cleanup that fails is printed in the same way, and is exit code 5.
using CleanUp = std::function<int()>;
int run_with_setup(const SetupAndCleanup& hooks, const std::string& suite, const Context& context,
                   const std::function<int(const CleanUp&)>& run);

}  // namespace assay::cli
