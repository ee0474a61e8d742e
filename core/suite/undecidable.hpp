// SPDX-License-Identifier: Apache-2.0
//
// Errors of a suite by which something in it could never be decided, or only one way. They keep it from being run; what was run before
// they were known is judged all the same, and says what it cannot tell.
#pragma once

#include "text/lookup.hpp"

#include <array>
#include <string_view>

namespace assay::suite {

inline constexpr const char* kTooFewRounds = "suite.rounds";        // for best()
inline constexpr const char* kNoSuchRow = "suite.where";            // that an expectation is for
inline constexpr const char* kNotInFinding = "suite.finding-call";  // a function over rows, mean() say
inline constexpr const char* kNotInGroup =
    "suite.group-check";  // a name of one row beside functions over several
inline constexpr const char* kNotOfLaps = "suite.percentile";          // of what a command prints
inline constexpr const char* kNotAValue = "suite.value-of-parameter";  // a text that a parameter never is
inline constexpr const char* kNotDerived = "suite.derive";     // what a benchmark has already by that name
inline constexpr const char* kShareOfSeveral = "suite.share";  // `a + b >= 90% of reference`: of which?
inline constexpr const char* kNoSum = "suite.sum";             // of readings, which have no indices
inline constexpr const char* kOneValue = "suite.one-value";    // max() of a metric that has one
inline constexpr const char* kConstant = "suite.constant";     // a comparison that is always or never true

[[nodiscard]] inline bool only_prevents_deciding(std::string_view code) {
  constexpr std::array kCodes = {
      std::string_view(kTooFewRounds), std::string_view(kNoSuchRow),      std::string_view(kNotInFinding),
      std::string_view(kNotInGroup),   std::string_view(kNotOfLaps),      std::string_view(kNotAValue),
      std::string_view(kNotDerived),   std::string_view(kShareOfSeveral), std::string_view(kNoSum),
      std::string_view(kConstant),     std::string_view(kOneValue)};
  return contains(kCodes, code);
}

}  // namespace assay::suite
