// SPDX-License-Identifier: Apache-2.0
//
// The programs that commands of the user's own name: whether they can be run is told before anything is measured.
#pragma once

#include "catalog/catalog.hpp"
#include "cli/command_suite.hpp"
#include "engine/surroundings.hpp"

#include <string>
#include <vector>

namespace assay::cli {

// Why the word names no program that can be run, and what to write instead; "" if it does. `path` is the variable PATH.
[[nodiscard]] std::string program_problem(const std::string& word, const std::string& path);

// Throws Error "command.program" for the first command whose program cannot be run. One that a parameter names, and any
// where the settings change PATH, is left to the run.
void require_programs(const std::vector<Words>& commands, const std::vector<SettingText>& settings,
                      const engine::Surroundings& surroundings);

// For the words of 'bench' without "--": throws Error "usage.benchmark" where the first is not a benchmark but a program.
void refuse_program(const catalog::Catalog& catalog, const Words& words,
                    const engine::Surroundings& surroundings);

}  // namespace assay::cli
