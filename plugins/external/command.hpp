// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "external/definition.hpp"
#include "external/output.hpp"
#include "external/supervisor.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace assay::plugins::external {

// A run of a command, with all that it started at an end.
struct Finished {
  Output output;   // status is the exit status
  int signal = 0;  // that it died of; 0: it ended by itself
  End end;
};

// Limit of what is kept of each stream.
inline constexpr std::size_t kMostOutput = std::size_t{64} << 20;

// Where the program is. Throws assay::Failure of domain "external.start" if it or its folder is not there.
[[nodiscard]] std::string find_program(const Definition& definition);

// Runs it to its end. Its output goes to this process's own streams, too, where Assay keeps the tail. Throws
// assay::Cancelled once `cancelled` says so, and assay::Failure of "external.start" or "external.output".
[[nodiscard]] Finished run_command(const Definition& definition, const std::string& program,
                                   const std::function<bool()>& cancelled,
                                   std::size_t most_output = kMostOutput);

}  // namespace assay::plugins::external
