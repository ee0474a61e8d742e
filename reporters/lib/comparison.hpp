// SPDX-License-Identifier: Apache-2.0
//
// A comparison document (core/model/comparison.hpp) in words and figures that every report shares.
#pragma once

#include "model/comparison.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

using model::ComparedRow;
using model::ComparedVerdict;
using model::Comparison;
using model::ComparisonOutcome;
using model::SpreadSource;

// What stands in the columns of a row.
struct ComparedTexts {
  std::string before, after;  // with their unit
  std::string ratio;          // "0.931", or ""
  std::string interval;       // "[0.922, 0.940]", or ""
  std::string verdict;        // for people: "not comparable"
};
[[nodiscard]] ComparedTexts texts_of(const ComparedRow& row);

// It makes the comparison fail.
[[nodiscard]] bool has_failed(const Comparison& comparison, const ComparedRow& row);
// ", not shown to be no worse" behind a verdict that does not say it; or "".
[[nodiscard]] const char* why_failed(const Comparison& comparison, const ComparedRow& row);

// What fails first, then what changed, what is open, and what is the same; the larger change first.
[[nodiscard]] std::vector<const ComparedRow*> by_importance(const Comparison& comparison);

// A case has several of these rows, which differ in nothing else.
[[nodiscard]] bool metric_tells_apart(const std::vector<const ComparedRow*>& rows);

// One of its runs is; figures of such a run say nothing of a machine.
[[nodiscard]] bool is_simulated(const Comparison& comparison);

// What each side is, what else differs, what moved together, and what these runs could have shown: a sentence each.
[[nodiscard]] std::vector<std::string> side_texts(const Comparison& comparison);
[[nodiscard]] std::vector<std::string> difference_texts(const Comparison& comparison);
[[nodiscard]] std::vector<std::string> shift_texts(const Comparison& comparison);
[[nodiscard]] std::vector<std::string> reach_texts(const Comparison& comparison);

}  // namespace assay::reporters
