// SPDX-License-Identifier: Apache-2.0
#include "result/outcome.hpp"

#include "result/exit_code.hpp"

namespace assay::result {

std::string_view to_text(Outcome outcome) { return outcome_row(outcome).text; }

bool from_text(std::string_view text, Outcome& outcome) {
  for (const OutcomeRow& row : outcome_table()) {
    if (row.text != text) continue;
    outcome = row.outcome;
    return true;
  }
  return false;
}

}  // namespace assay::result
