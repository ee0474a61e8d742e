// SPDX-License-Identifier: Apache-2.0
//
// The answers to a suite's questions in words: of one finding, and of all of them in a few sentences.
#pragma once

#include "lib/document.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

// By what a row is told from the others: "1GiB", "4096³", "workers=4, dtype=bf16"; axes that all rows share are left out.
// "" of one row alone.
[[nodiscard]] std::vector<std::string> row_names(const Finding& finding);

// "yes", "no, in all 3 rows", "yes from 8192³ on; no at 4096³", "yes at 64MiB; undecided at 1MiB, which 4 more rounds
// should decide". "" if there is nothing to say beside the verdict.
[[nodiscard]] std::string finding_answer(const Finding& finding);

// "not comparable" of not_comparable.
[[nodiscard]] std::string finding_word(const Finding& finding);
// Both: "mixed: yes from 8192³ on; no at 4096³".
[[nodiscard]] std::string finding_verdict(const Finding& finding);
// Why it has this verdict, or "" where the answer says it already.
[[nodiscard]] std::string finding_why(const Finding& finding);

// "2 of 3 questions are answered yes, and 1 is undecided. 4 more rounds should decide it."; "" without findings.
[[nodiscard]] std::string bottom_line(const Document& document);
// What the suite says is to be done, each once, in the order of its findings.
[[nodiscard]] std::vector<std::string> what_to_do(const Document& document);

}  // namespace assay::reporters
