// SPDX-License-Identifier: Apache-2.0
//
// The words of suites, reports and messages, each in one sense. `assay explain WORD` and docs/reference/glossary.md are made from
// this table; outcomes and codes have tables of their own (exit_code.hpp, reasons.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::result {

struct GlossaryRow {
  std::string_view word;
  std::string_view meaning;  // one or two sentences
};

// At most forty, sorted by word.
[[nodiscard]] const std::vector<GlossaryRow>& glossary();

// docs/reference/glossary.md, whole.
[[nodiscard]] std::string glossary_markdown();

}  // namespace assay::result
