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

struct Draft {
  model::ComparedRow row;
  std::string backend;
  std::optional<Pair> pair;  // none: not comparable, and row.why says why
};

// A row for every headline of every case on either side. allows_one_round: what runs differ by is given.
[[nodiscard]] std::vector<Draft> drafts_of(const std::vector<Reading>& before,
                                           const std::vector<Reading>& after, bool allows_one_round);

}  // namespace assay::comparison
