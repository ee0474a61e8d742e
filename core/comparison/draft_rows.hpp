// SPDX-License-Identifier: Apache-2.0
//
// The rows of a comparison before anything is decided: what each side has, and why some cannot be compared.
#pragma once

#include "comparison/reading.hpp"
#include "comparison/spread.hpp"
#include "model/comparison.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::comparison {

struct DraftRow {
  model::ComparedRow row;
  std::string backend;
  std::optional<Pair> pair;  // none: not comparable, and row.why says why
};

enum class SideArrangement {
  apart,                    // in runs of their own
  apart_with_known_spread,  // and what those differ by is given, so that one round will do
  in_turn                   // in each round of one run, so that what differs is the change under test
};

// A row for every headline of every case on either side.
[[nodiscard]] std::vector<DraftRow> draft_rows(const std::vector<LoadedResult>& before,
                                               const std::vector<LoadedResult>& after,
                                               SideArrangement arrangement);

}  // namespace assay::comparison
