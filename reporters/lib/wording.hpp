// SPDX-License-Identifier: Apache-2.0
//
// Fixed wording that reporters share: what the run says in a line.
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

// An expectation, a group check or a row of a finding that more rounds of this run could decide.
[[nodiscard]] bool has_open_verdicts(const Document& document);

// "n042 · 4 × NVIDIA H200 · driver 580.159 · CUDA 13.0".
[[nodiscard]] std::vector<std::string> system_parts(const Document& document);

// "2026-11-21 08:30 UTC" of an RFC 3339 time; as it is if it has another form.
[[nodiscard]] std::string minute_text(std::string_view timestamp);

}  // namespace assay::reporters
