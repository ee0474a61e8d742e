// SPDX-License-Identifier: Apache-2.0
//
// What a rule (suites/rules, docs/reference/rules.md) says of a run: a symptom with the evidence that the run has
// for it.
#pragma once

#include <string>
#include <vector>

namespace assay::model {

struct DiagnosedCase {
  std::string id;
  std::vector<std::string> evidence;
};

struct Diagnosis {
  std::string rule, symptom, cause, remedy, source;
  std::vector<DiagnosedCase> cases;
};

}  // namespace assay::model
