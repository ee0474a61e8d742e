// SPDX-License-Identifier: Apache-2.0
//
// By how much runs of the same work differ, for each resource. Every interval of a comparison rests on it.
#pragma once

#include "comparison/compare.hpp"
#include "statistics/between_runs.hpp"

#include <span>
#include <string>
#include <vector>

namespace assay::comparison {

// The values of one row on both sides.
struct Pair {
  statistics::SideMean before, after;
  std::vector<double> ratios;  // ln(after / before) by round, where both were measured in turn; else empty
  statistics::Change change;   // filled here
};

// Fills the changes of one resource's rows.
[[nodiscard]] model::SpreadOfRuns fill_changes(const std::string& resource, const std::string& backend,
                                               std::span<Pair* const> pairs, const Question& question);

}  // namespace assay::comparison
