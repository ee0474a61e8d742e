// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace assay {

// How a visit, a case or a group check ended. docs/reference/outcomes.md. From best to worst: of several, the greatest
// counts. What was stopped at its limit is worse than what reported an error: it took all the time that it was given,
// and nothing tells what held it.
enum class Outcome { passed, skipped, not_run, cancelled, invalid, failed, error, timeout, crashed };

// Their words in journals, documents and on the command line.
inline constexpr std::array<std::string_view, 9> kOutcomeWords{
    "passed", "skipped", "not_run", "cancelled", "invalid", "failed", "error", "timeout", "crashed"};

[[nodiscard]] constexpr std::string_view to_text(Outcome outcome) {
  return kOutcomeWords[static_cast<std::size_t>(outcome)];
}

// False, and the outcome is as it was, if the text names none.
constexpr bool from_text(std::string_view text, Outcome& outcome) {
  for (std::size_t i = 0; i < kOutcomeWords.size(); ++i) {
    if (kOutcomeWords[i] != text) continue;
    outcome = static_cast<Outcome>(i);
    return true;
  }
  return false;
}

}  // namespace assay
