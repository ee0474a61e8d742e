// SPDX-License-Identifier: Apache-2.0
//
// Words that mean the same in journals, documents, reports and on the command line.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace assay {

// How a visit, a case or a group check ended. docs/reference/outcomes.md. From best to worst: of several, the greatest
// counts. What was stopped at its limit is worse than what reported an error: it took all the time that it was given,
// and nothing tells what held it. `other` is what a document of a later version says, and no word of this one.
enum class Outcome { passed, skipped, not_run, cancelled, other, invalid, failed, error, timeout, crashed };

inline constexpr std::array<std::string_view, 10> kOutcomeWords{"passed",  "skipped", "not_run", "cancelled",
                                                                "unknown", "invalid", "failed",  "error",
                                                                "timeout", "crashed"};

[[nodiscard]] constexpr std::string_view to_text(Outcome outcome) {
  return kOutcomeWords[static_cast<std::size_t>(outcome)];
}

// False, and the outcome is as it was, if the text names none.
constexpr bool from_text(std::string_view text, Outcome& outcome) {
  for (std::size_t i = 0; i < kOutcomeWords.size(); ++i) {
    if (kOutcomeWords[i] != text || static_cast<Outcome>(i) == Outcome::other) continue;
    outcome = static_cast<Outcome>(i);
    return true;
  }
  return false;
}

namespace model {

// What JSON Schema lists; the order is that of the schema.
inline constexpr std::array<std::string_view, 9> kOutcomes{
    "passed", "failed", "error", "crashed", "timeout", "invalid", "skipped", "not_run", "cancelled"};
inline constexpr std::array<std::string_view, 6> kRunOutcomes{"passed",      "failed", "error",
                                                              "interrupted", "unmet",  "nothing_ran"};
// Of an expectation and of a group check.
inline constexpr std::array<std::string_view, 6> kStatuses{"passed",       "failed",     "undecided",
                                                           "no_reference", "not_judged", "not_available"};
// Of a finding and of its rows.
inline constexpr std::array<std::string_view, 6> kFindingVerdicts{"confirmed", "refuted",   "mixed",
                                                                  "small",     "undecided", "not_comparable"};
inline constexpr std::array<std::string_view, 6> kDeltaVerdicts{"same",      "better", "worse",
                                                                "different", "small",  "undecided"};

// Of a reason, in the order in which a verdict lists them, most severe first.
enum class ReasonSeverity { error, failure, invalid, unmet, warning, note };
inline constexpr std::array<std::string_view, 6> kSeverities{"error", "failure", "invalid",
                                                             "unmet", "warning", "note"};
[[nodiscard]] constexpr std::string_view to_text(ReasonSeverity severity) {
  return kSeverities[static_cast<std::size_t>(severity)];
}
constexpr bool from_text(std::string_view text, ReasonSeverity& severity) {
  for (std::size_t i = 0; i < kSeverities.size(); ++i) {
    if (kSeverities[i] == text) return severity = static_cast<ReasonSeverity>(i), true;
  }
  return false;
}

// What the reader of a row should act on, or doubt: the code of a flag, the sign and the words of a table. A row shows the
// worst of its marks and no other; the worst stands first here.
struct Mark {
  std::string_view code, sign, words;
};
inline constexpr std::array<Mark, 6> kMarks{{{"straggler", "!", "straggler"},
                                             {"throttled", "!", "throttled"},
                                             {"disturbed", "!", "disturbed"},
                                             {"unsteady", "!", "unsteady"},
                                             {"wide", "~", "wide"},
                                             {"one_run", "~", "one run"}}};

inline constexpr std::array<std::string_view, 1> kGuardSeverities{"invalid"};
inline constexpr std::array<std::string_view, 6> kComparisons{"<", "<=", ">", ">=", "==", "!="};
// In the orders of catalog::Direction and catalog::MetricKind.
inline constexpr std::array<std::string_view, 3> kDirections{"higher", "lower", "none"};
inline constexpr std::array<std::string_view, 5> kMetricKinds{"rate", "duration", "value", "part", "derived"};
inline constexpr std::array<std::string_view, 7> kStatistics{"median",   "mean",    "work over time", "slope",
                                                             "recorded", "derived", "reported"};
inline constexpr std::array<std::string_view, 2> kIntervalKinds{"within_process", "between_process"};
inline constexpr std::array<std::string_view, 2> kQuantityKinds{"gauge", "counter"};
inline constexpr std::array<std::string_view, 2> kPeriods{"samples", "visit"};

}  // namespace model

}  // namespace assay
