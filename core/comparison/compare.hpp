// SPDX-License-Identifier: Apache-2.0
//
// Two sides held against each other, row by row: docs/how-to/compare-two-runs.md.
#pragma once

#include "comparison/reading.hpp"
#include "model/comparison.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::comparison {

struct Question {
  double theta = 0.02;  // the change that matters, as a share; at least 0
  // Rows that are not shown to be no worse by more than this share fail.
  std::optional<double> no_worse_than;
  std::vector<std::string> filters;  // by which the cases of both sides were chosen, to be told
  // Standard deviation between runs of the same thing, as a share; none: from the results, else assumed.
  std::optional<double> between_runs;
};

// By how much runs of the same thing are taken to differ where nothing tells.
[[nodiscard]] double assumed_between_runs(const std::string& backend);

// At least one result a side.
[[nodiscard]] model::Comparison compare(const std::vector<LoadedResult>& before,
                                        const std::vector<LoadedResult>& after, const Question& question);

// Two variants of one result, which were measured in turn: by their rounds' ratios, whatever runs differ by. Throws Error
// "result.no-variants" if no case has both.
[[nodiscard]] model::Comparison compare_variants(const LoadedResult& result, const std::string& before,
                                                 const std::string& after, const Question& question);

}  // namespace assay::comparison
