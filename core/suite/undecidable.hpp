// SPDX-License-Identifier: Apache-2.0
//
// Errors of a suite by which something in it could never be decided. They keep it from being run; what was run before
// they were known is judged all the same, and says what it cannot tell.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::suite {

inline constexpr const char* kTooFewRounds = "suite.rounds";        // for best()
inline constexpr const char* kNoSuchRow = "suite.where";            // that an expectation is for
inline constexpr const char* kNotInFinding = "suite.finding-call";  // a function over rows, mean() say

[[nodiscard]] inline bool only_prevents_deciding(std::string_view code) {
  constexpr std::array<std::string_view, 3> kCodes = {kTooFewRounds, kNoSuchRow, kNotInFinding};
  return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

}  // namespace assay::suite
