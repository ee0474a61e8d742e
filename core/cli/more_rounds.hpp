// SPDX-License-Identifier: Apache-2.0
//
// Lines to paste where a run by 'bench' or with --pairs left something open: neither takes --extend.
#pragma once

#include "model/comparison.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay::cli {

// Rounds by id of a case.
using RoundsOfCases = std::map<std::string, std::uint64_t>;

// What should decide the open rows of the questions of a result, or of a comparison of pairs: the rounds that cases have
// and those that a report says should be added. Empty if nothing is open, or if 1000 rounds would not decide it.
[[nodiscard]] RoundsOfCases rounds_to_decide(const std::string& result);
[[nodiscard]] RoundsOfCases rounds_to_decide(const model::Comparison& pairs);

// The command of a run once more, with this many rounds, into a new folder: 'bench' gets the most of them as --runs or
// processes=N, 'run' each of them as --set CASE.processes=N. "" for no rounds.
[[nodiscard]] std::string command_with_rounds(const std::vector<std::string>& command,
                                              const RoundsOfCases& rounds);

// The command once more, going on in the folder of the run that was interrupted.
[[nodiscard]] std::string command_that_resumes(const std::vector<std::string>& command,
                                               const std::filesystem::path& folder);

}  // namespace assay::cli
