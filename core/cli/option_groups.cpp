// SPDX-License-Identifier: Apache-2.0
#include "cli/option_groups.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::cli {

void group_options(CLI::App& command) {
  using Names = std::vector<std::string>;
  static const std::vector<std::pair<std::string, Names>> groups = {
      {"Instead of a run", {"--dry-run", "--inventory", "--yaml"}},
      {"Go on with a run", {"--resume", "--failed", "--extend"}},
      {"Choose and change cases", {"--filter", "--only", "--set"}},
      {"Measure",
       {"--runs", "--warmup", "--setup", "--cleanup", "--budget", "--earlier", "--quick", "--seed",
        "--isolation", "--wrap", "--pairs"}},
      {"Require of the machine", {"--require", "--site"}},
      {"Judge", {"--baseline", "--peaks", "--doctor", "--theta", "--no-worse-than", "--strict"}},
      {"Report", {"--report", "--output", "--quiet", "--verbose"}},
  };
  for (const auto& [heading, names] : groups)
    for (const std::string& name : names)
      if (CLI::Option* const option = command.get_option_no_throw(name)) option->group(heading);
}

}  // namespace assay::cli
