// SPDX-License-Identifier: Apache-2.0
//
// What a rule (suites/rules, docs/reference/rules.md) says of a run: a symptom with the evidence that the run has
// for it.
#pragma once

#include "model/field.hpp"

#include <string>
#include <vector>

namespace assay::model {

struct DiagnosedCase {
  std::string id;
  std::vector<std::string> evidence;
};
constexpr auto fields_of(const DiagnosedCase*) {
  return object(
      field("id", &DiagnosedCase::id),
      field("evidence", &DiagnosedCase::evidence).note("what the rule asks for, each with what was seen"));
}

struct Diagnosis {
  std::string rule, symptom, cause, remedy, source;
  std::vector<DiagnosedCase> cases;
};
constexpr auto fields_of(const Diagnosis*) {
  return object(field("rule", &Diagnosis::rule), field("symptom", &Diagnosis::symptom),
                field("cause", &Diagnosis::cause), field("remedy", &Diagnosis::remedy),
                field("source", &Diagnosis::source).if_any().note("who says so"),
                field("cases", &Diagnosis::cases).note("that show it"));
}

}  // namespace assay::model
