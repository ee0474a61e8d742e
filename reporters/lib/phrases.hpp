// SPDX-License-Identifier: Apache-2.0
//
// Fixed wording that reporters share: what the run says in a line, grouped reasons, texts of findings.
#pragma once

#include "lib/document.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {

// "PASS", "FAIL", "ERROR", "INTERRUPTED", "UNMET", "NOTHING RAN".
[[nodiscard]] std::string verdict_word(const Document& document);

// Cases and group checks by outcome.
struct Tally {
  std::array<std::size_t, 10> cases{}, groups{};
  std::size_t total = 0;

  [[nodiscard]] std::size_t of(Outcome outcome) const;
};
[[nodiscard]] Tally tally(const Document& document);

// "61 passed"; "2 of 61 failed (1 case, 1 group check), 3 skipped"; "nothing to run".
[[nodiscard]] std::string tally_text(const Document& document);

// "quick run: never a baseline", "under nsys profile: shown, not judged", …: what limits the whole result.
[[nodiscard]] std::vector<std::string> run_notes(const Document& document);

// "n042 · 4 × NVIDIA H200 · driver 580.159 · CUDA 13.0".
[[nodiscard]] std::vector<std::string> system_parts(const Document& document);

// "2026-11-21 08:30 UTC" of an RFC 3339 time; as it is if it has another form.
[[nodiscard]] std::string minute_text(std::string_view timestamp);

// Reasons of the verdict that share code and next step, in the document's order.
struct ReasonGroup {
  std::string code;
  ReasonSeverity severity;
  std::string next;
  std::vector<const VerdictReason*> lines;
};
[[nodiscard]] std::vector<ReasonGroup> grouped_reasons(const Document& document);

// What the claim holds the effect against: "against a margin of 2 %", "which asks for +290 % or more", or "".
[[nodiscard]] std::string asked_text(const Finding& finding);

// "−29.4 % [−29.7, −29.1] at 1GiB, the weakest of 3", "+2.1 % to +84.7 % over 3 rows" where none of the rows
// is what the whole is, or "" without an effect.
[[nodiscard]] std::string effect_text(const Finding& finding);
// "refuted", and what its rows say of it: " at all 3", " at 2 of 3", ": confirmed at 2, refuted at 1 of 3".
[[nodiscard]] std::string finding_word(const Finding& finding);
[[nodiscard]] std::string finding_rows(const Finding& finding);
// Both, unless `why` follows and counts the rows itself.
[[nodiscard]] std::string finding_verdict(const Finding& finding, bool before_why = false);
// The suite's sentence with its placeholders filled: {effect} {interval} {theta} {rounds} {left} {right}
// {at}. An unknown one stays. Beside its interval an effect has its sign, as the interval has.
[[nodiscard]] std::string fill(std::string_view sentence, const Finding& finding);
// `do` says what to do in words, which end with a full stop, or is a command.
[[nodiscard]] bool is_sentence(std::string_view act);
// No case has a value, so that each finding has the same to say.
[[nodiscard]] bool nothing_was_measured(const Document& document);
// Whether a finding with `assert` fails the run.
[[nodiscard]] bool assertion_failed(const Finding& finding);

}  // namespace assay::reporters
