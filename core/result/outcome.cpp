// SPDX-License-Identifier: Apache-2.0
#include "result/outcome.hpp"

#include "result/exit_code.hpp"

namespace assay::result {

std::string_view to_text(Outcome outcome) { return outcome_row(outcome).text; }

std::optional<Outcome> parse_outcome(std::string_view text) {
  for (const OutcomeRow& row : outcome_table())
    if (row.text == text) return row.outcome;
  return std::nullopt;
}

}  // namespace assay::result
