// SPDX-License-Identifier: Apache-2.0
//
// Rows that were found slower face a second look at the same: docs/how-to/compare-two-runs.md.
#pragma once

#include "model/comparison.hpp"

#include <string>

namespace assay::comparison {

// A row stays slower only if the second look, which took these rows once more, shows it slower, too; one that it could not
// compare stays slower. Both looks are kept. `confirmation` says how the second was taken; its counts are filled here.
// `old_again`, where both sides were taken in turn: the old results against the old side of the second look. Where that has come
// at least half of the way to the new side, the program or the machine changed since, and the row stays slower.
void confirm(model::Comparison& first, const model::Comparison& second, model::Confirmation confirmation,
             const model::Comparison* old_again = nullptr);

// Nothing could be taken once more, so that every row stays as it is.
void leave_unconfirmed(model::Comparison& first, const std::string& why);

}  // namespace assay::comparison
