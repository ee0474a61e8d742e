// SPDX-License-Identifier: Apache-2.0
#include "lib/diagnosis_texts.hpp"

#include "lib/text.hpp"
#include "lib/wording.hpp"

namespace assay::reporters {

std::string shown_by(const model::Diagnosis& diagnosis) {
  if (diagnosis.cases.empty()) return {};
  const model::DiagnosedCase& first = diagnosis.cases.front();
  const std::size_t more = diagnosis.cases.size() - 1;
  return join(first.evidence, "; ") + " in " + first.id +
         (more == 0 ? "" : ", and in " + count_of(more, "case") + " more");
}

}  // namespace assay::reporters
