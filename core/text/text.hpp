// SPDX-License-Identifier: Apache-2.0
//
// Lines and words.
#pragma once

#include "text/utf8.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay {

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);

// What stands between separators, empty parts as well: one at least.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

// With other letters of ASCII; the rest stays.
[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] std::string upper_case(std::string_view text);

// "1 case", "2 cases"; `many` defaults to one + "s".
[[nodiscard]] std::string count_of(std::size_t count, std::string_view one, std::string_view many = {});

// The numbers between dots of a version, the greatest part first; what is not a number counts as 0.
[[nodiscard]] std::vector<unsigned long> version_parts(std::string_view version);

// The last `limit` bytes, cut at a line's start, with "[… N bytes left out]" before them if anything was cut.
[[nodiscard]] std::string tail(std::string_view text, std::size_t limit);

// Lines of at most `width` columns, broken at spaces, but not between a number and "%"; a longer word has its line to itself. Line breaks of the text
// itself stay. Never empty.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

// Shortest decimal that reads back as the same double; "." as the point whatever the locale.
[[nodiscard]] std::string shortest(double value);

}  // namespace assay
