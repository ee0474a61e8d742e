// SPDX-License-Identifier: Apache-2.0
//
// The answers to a suite's questions in words: of one finding, and of all of them in a few sentences.
#pragma once

#include "lib/document.hpp"

#include <string>
#include <vector>

namespace assay::reporters {

// By what a row is distinguished from the others: "1GiB", "4096³", "workers=4, dtype=bf16"; axes that all rows share are left out.
// "" of one row alone.
[[nodiscard]] std::vector<std::string> row_names(const Finding& finding);

// "yes", "no, in all 3 rows", "yes from 8192³ on; no at 4096³", "yes at 64MiB; undecided at 1MiB, which about 4 more
// rounds should decide"; why it is not answered. "" if there is nothing to say beside the verdict.
[[nodiscard]] std::string finding_answer(const Finding& finding);

// "not comparable" of not_comparable. What is undecided was measured, and noise is too large; what was not measured, or not
// in all rows, is "not answered", or "not answered in full".
[[nodiscard]] std::string finding_word(const Finding& finding);
// The same of one row: "confirmed", "not answered".
[[nodiscard]] std::string row_word(const FindingRow& row);
// Both: "mixed: yes from 8192³ on; no at 4096³".
[[nodiscard]] std::string finding_verdict(const Finding& finding);
// Why it has this verdict, or "" where the answer says it already.
[[nodiscard]] std::string finding_why(const Finding& finding);

// "no case is complete", "nothing was measured", or what all findings give as the reason: why none of the document can say more;
// "" if one can, or for different reasons.
[[nodiscard]] std::string why_nothing_is_answered(const Document& document);
// One reason keeps all of several questions open, or nothing was measured, and no finding is asserted: to say it once is enough.
[[nodiscard]] bool is_said_once(const Document& document);
// "2 of 3 questions are answered yes and 1 is undecided. About 4 more rounds should decide it."; of one finding its question and the answer,
// "Is it faster? Yes, in all 3 rows."; "" without findings.
[[nodiscard]] std::string bottom_line(const Document& document);
// What the suite says is to be done, each once, in the order of its findings.
[[nodiscard]] std::vector<std::string> what_to_do(const Document& document);

}  // namespace assay::reporters
