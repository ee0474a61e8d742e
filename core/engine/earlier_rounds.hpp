// SPDX-License-Identifier: Apache-2.0
//
// What earlier results say of a case's rounds: by how much they vary, and how long one takes.
#pragma once

#include "model/document.hpp"
#include "plan/plan.hpp"
#include "statistics/planning.hpp"

#include <optional>
#include <span>
#include <string>

namespace assay::engine {

// The documents outlive it.
class EarlierRounds {
 public:
  explicit EarlierRounds(std::span<const model::Document> documents) : documents_(documents) {}

  // Of its headline, from results in which it was measured with the same parameters and conditions; runs of which none
  // has two rounds tell only how runs differ. None if no result has it.
  [[nodiscard]] std::optional<statistics::Components> components_of(const plan::PlannedCase& planned) const;
  // Seconds of a visit, with its share of what a run takes between visits; none if no result has one that was
  // to be measured for as long.
  [[nodiscard]] std::optional<double> round_s_of(const plan::PlannedCase& planned) const;
  // Of ln(left / right) in one round: that of the row that varies most. None if no result has an interval of it.
  [[nodiscard]] std::optional<double> scatter_of_finding(const std::string& id) const;

 private:
  std::span<const model::Document> documents_;
};

}  // namespace assay::engine
