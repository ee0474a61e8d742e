// SPDX-License-Identifier: Apache-2.0
//
// Compares two sides row by row: docs/how-to/compare-two-runs.md.
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
  // Standard deviation between runs of the same work, as a share; none: taken from the results, or else assumed.
  std::optional<double> between_runs;
};

// The assumed standard deviation between runs of the same work, where no result shows it.
[[nodiscard]] double assumed_between_runs(const std::string& backend);

// Needs at least one result on each side.
[[nodiscard]] model::Comparison compare(const std::vector<LoadedResult>& before,
                                        const std::vector<LoadedResult>& after, const Question& question);

// Compares two variants of one result, which were measured in turn, by the ratios of their rounds; differences between
// runs do not matter then. Throws Error "result.no-variants" if no case has both.
[[nodiscard]] model::Comparison compare_variants(const LoadedResult& result, const std::string& before,
                                                 const std::string& after, const Question& question);

}  // namespace assay::comparison
