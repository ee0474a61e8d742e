// SPDX-License-Identifier: Apache-2.0
//
// Text in words of a report.
#pragma once

#include "text/fit.hpp"
#include "text/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::reporters {

// Newlines and tabs as single spaces, ends trimmed.
[[nodiscard]] std::string one_line(std::string_view text);

// The last lines of a log, at most `lines` of them and `bytes` bytes; never cuts inside a character.
[[nodiscard]] std::string last_lines(std::string_view text, std::size_t lines, std::size_t bytes);

// In one line, with spaces for underscores: "not judged".
[[nodiscard]] std::string in_words(std::string_view code);

// With a capital first letter, if that is one of ASCII.
[[nodiscard]] std::string capitalised(std::string text);

}  // namespace assay::reporters
