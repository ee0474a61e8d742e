// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Valid UTF-8 without control characters but newline and tab: each invalid byte or control character is
// U+FFFD. Everything that comes from a plugin, a log or the environment passes through it before it is kept.
[[nodiscard]] std::string printable(std::string_view text);

// The last `limit` bytes, cut at a line's start, with "[… N bytes left out]" before them if anything was cut.
[[nodiscard]] std::string tail(std::string_view text, std::size_t limit);

// Shortest decimal that reads back as the same double; "." as the point whatever the locale.
[[nodiscard]] std::string shortest(double value);

}  // namespace assay
