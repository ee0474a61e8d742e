// SPDX-License-Identifier: Apache-2.0
//
// Measures rows that were found slower once more: docs/how-to/compare-two-runs.md.
#pragma once

#include "model/comparison.hpp"

#include <string>

namespace assay::comparison {

// A row stays slower only if the second measurement shows it slower, too; a row that the second measurement cannot compare
// stays slower. Both measurements are kept. `confirmation` says how the second one was made; its counts are filled in here.
// `old_again` compares the old results with the old side of the second measurement, where that measured both sides in turn. If
// the old side moved at least half of the way to the new one, the program or the machine changed since, and the row stays slower.
void confirm(model::Comparison& first, const model::Comparison& second, model::Confirmation confirmation,
             const model::Comparison* old_again = nullptr);

// For when nothing could be measured once more: every row stays as it is.
void leave_unconfirmed(model::Comparison& first, const std::string& why);

}  // namespace assay::comparison
