// SPDX-License-Identifier: Apache-2.0
//
// Why something is not simply passed: every code that a result document can carry, once. `assay explain
// CODE`, the verdict's order and next steps, and docs/reference/reasons.md are made from this table.
#pragma once

#include "model/vocabulary.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay::result {

using model::ReasonSeverity;
using model::to_text;

struct ReasonRow {
  std::string_view code;
  ReasonSeverity severity;
  std::string_view meaning;  // one paragraph
  std::string_view next;     // what to do, one sentence
};

// Sorted by code.
[[nodiscard]] const std::vector<ReasonRow>& reason_table();

// The row of a code, or nullptr.
[[nodiscard]] const ReasonRow* find_reason(std::string_view code);

// docs/reference/reasons.md, whole.
[[nodiscard]] std::string reasons_markdown();

}  // namespace assay::result
