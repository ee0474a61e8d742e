// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace assay::result {

// How a visit or a case ended. docs/reference/outcomes.md.
enum class Outcome { passed, failed, error, crashed, timeout, invalid, skipped, not_run, cancelled };

[[nodiscard]] std::string_view to_text(Outcome outcome);
[[nodiscard]] std::optional<Outcome> parse_outcome(std::string_view text);

}  // namespace assay::result
