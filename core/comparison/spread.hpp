// SPDX-License-Identifier: Apache-2.0
//
// By how much runs of the same thing differ, a resource at a time: what every interval of a comparison stands on.
#pragma once

#include "comparison/compare.hpp"
#include "statistics/between_runs.hpp"

#include <span>
#include <string>
#include <vector>

namespace assay::comparison {

// A row that is compared.
struct Pair {
  statistics::SideMean before, after;
  std::vector<double> ratios;  // ln(after / before) by round, where both were measured in turn; else empty
  statistics::Change change;   // filled here
};

// Fills the changes of one resource's rows.
[[nodiscard]] model::SpreadOfRuns fill_changes(const std::string& resource, const std::string& backend,
                                               std::span<Pair* const> pairs, const Question& question);

}  // namespace assay::comparison
