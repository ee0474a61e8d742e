// SPDX-License-Identifier: Apache-2.0
//
// What holds of every line of a journal, whatever it says.
#pragma once

#include "base/json.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::result {

// Of the journal's lines. Keys and kinds of lines may be added, and readers ignore what they don't know; what
// is there keeps its meaning. Since format 2 every line ends with a sum.
inline constexpr int kJournalFormat = 2;

// Of one line: a header with its suite's texts, or a visit with all its samples.
inline constexpr std::size_t kLongestJournalLine = std::size_t{256} << 20;

// How every header begins, in every format.
inline constexpr std::string_view kHeaderBegin = R"({"type":"header","journal":)";

// A JSON object with one key more at its end: the SHA-256 of all that stands before. A bit that flips on a
// disk makes other numbers of numbers, and they would still be JSON.
[[nodiscard]] std::string sealed(std::string object);
// False if the line does not end with the sum of what stands before.
[[nodiscard]] bool is_sealed(std::string_view line);

// What is said of a journal of another format, and of one whose first line's sum is wrong.
[[nodiscard]] std::string other_format(const Json& format);
inline constexpr const char* kDamagedHeader =
    "the first line is damaged, and without it nobody knows what was to be measured; take the file from a "
    "backup, or start anew in another folder";

}  // namespace assay::result
