// SPDX-License-Identifier: Apache-2.0
//
// Words that mean the same in journals, documents, reports and on the command line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

// An enum whose words stand in its order in `words_of(E)`. `other` follows them: what a document of a later version says.
template <class E>
concept Vocabulary = requires(E word) {
  words_of(word).size();
  E::other;
};
template <Vocabulary E>
[[nodiscard]] constexpr std::string_view to_text(E word) {
  static_assert(words_of(E::other).size() == static_cast<std::size_t>(E::other), "a word for each value");
  return word == E::other ? "unknown" : words_of(word)[static_cast<std::size_t>(word)];
}
// False, and the word is as it was, if the text names none.
template <Vocabulary E>
constexpr bool from_text(std::string_view text, E& word) {
  constexpr const auto& words = words_of(E::other);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text) return word = static_cast<E>(i), true;
  }
  return false;
}

enum class RunOutcome { passed, failed, error, interrupted, unmet, nothing_ran, other };
inline constexpr std::array<std::string_view, 6> kRunOutcomes{"passed",      "failed", "error",
                                                              "interrupted", "unmet",  "nothing_ran"};
constexpr const auto& words_of(RunOutcome /*type*/) { return kRunOutcomes; }

// Of an expectation and of a group check.
enum class ExpectationStatus { passed, failed, undecided, no_reference, not_judged, not_available, other };
inline constexpr std::array<std::string_view, 6> kStatuses{"passed",       "failed",     "undecided",
                                                           "no_reference", "not_judged", "not_available"};
constexpr const auto& words_of(ExpectationStatus /*type*/) { return kStatuses; }

// Of a finding and of its rows.
enum class FindingVerdict { confirmed, refuted, mixed, small, undecided, not_comparable, other };
inline constexpr std::array<std::string_view, 6> kFindingVerdicts{"confirmed", "refuted",   "mixed",
                                                                  "small",     "undecided", "not_comparable"};
constexpr const auto& words_of(FindingVerdict /*type*/) { return kFindingVerdicts; }
// All alike: yes or no.
[[nodiscard]] constexpr bool is_answered(FindingVerdict verdict) {
  return verdict == FindingVerdict::confirmed || verdict == FindingVerdict::refuted;
}

// Of a row beside its reference.
enum class DeltaVerdict { same, better, worse, different, small, undecided, other };
inline constexpr std::array<std::string_view, 6> kDeltaVerdicts{"same",      "better", "worse",
                                                                "different", "small",  "undecided"};
constexpr const auto& words_of(DeltaVerdict /*type*/) { return kDeltaVerdicts; }

// More rounds may change what it is.
template <Vocabulary E>
[[nodiscard]] constexpr bool is_open(E verdict) {
  return verdict == E::undecided || verdict == E::small;
}

// Of a reason, in the order in which a verdict lists them, most severe first.
enum class ReasonSeverity { error, failure, invalid, unmet, warning, note, other };
inline constexpr std::array<std::string_view, 6> kSeverities{"error", "failure", "invalid",
                                                             "unmet", "warning", "note"};
constexpr const auto& words_of(ReasonSeverity /*type*/) { return kSeverities; }

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

// What a plugin says was done in a sample: the bits ASSAY_DONE_* of its interface, to which core/worker/instance.cpp holds them,
// and their words, which stand in the order of the bits.
inline constexpr std::uint32_t kGated = 1, kGraph = 2, kFlushed = 4, kRotated = 8, kHot = 16;
inline constexpr std::array<std::string_view, 5> kDoneWords{"gated", "graph", "flushed", "rotated", "hot"};

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
