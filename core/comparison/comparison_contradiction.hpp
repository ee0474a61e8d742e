// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/comparison.hpp"

#include <string>

namespace assay::comparison {

// What of a comparison document its own rows contradict, as the end of a sentence: "its verdict is passed (exit code 0), and its rows come to
// …"; "" if nothing does, and where a word of it is of a later version. Of the sentence only what it says of the rows counts, not its wording.
[[nodiscard]] std::string contradiction_in(const model::Comparison& comparison);

}  // namespace assay::comparison
