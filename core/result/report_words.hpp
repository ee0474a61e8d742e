// SPDX-License-Identifier: Apache-2.0
//
// The words and signs by which reports say what came out, for `assay explain WORD` and docs/reference/report-words.md. What measures
// has the glossary; outcomes and codes have tables of their own (exit_code.hpp, reasons.hpp).
#pragma once

#include "result/glossary.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay::result {

// Sorted by word; none is in the glossary.
[[nodiscard]] const std::vector<GlossaryRow>& report_words();

// The row of a word as it is printed: whatever its case, and in the plural, of these words or of the glossary's; nullptr if there is
// none.
[[nodiscard]] const GlossaryRow* find_printed_word(std::string_view word);

// docs/reference/report-words.md, whole.
[[nodiscard]] std::string report_words_markdown();

}  // namespace assay::result
