// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::reporters {

// Milliseconds since 1970 of a time in UTC as documents have it, "2026-11-21T08:30:12Z", with a fraction or without;
// nothing if the text is none.
[[nodiscard]] std::optional<std::int64_t> epoch_ms(std::string_view rfc3339);

}  // namespace assay::reporters
