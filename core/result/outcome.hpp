// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace assay::result {

// How a visit or a case ended. docs/reference/outcomes.md.
enum class Outcome { passed, failed, error, crashed, timeout, invalid, skipped, not_run, cancelled };

[[nodiscard]] std::string_view to_text(Outcome outcome);
// False, and the outcome is as it was, if the text names none.
bool from_text(std::string_view text, Outcome& outcome);

}  // namespace assay::result
