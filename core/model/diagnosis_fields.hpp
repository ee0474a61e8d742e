// SPDX-License-Identifier: Apache-2.0
//
// Of a diagnosis: the tables of its fields, from which come its reader, its writer, its JSON Schema and its reference page.
#pragma once

#include "model/diagnosis.hpp"
#include "model/field.hpp"

namespace assay::model {

constexpr auto fields_of(const DiagnosedCase*) {
  return object(field("id", &DiagnosedCase::id),
                field("evidence", &DiagnosedCase::evidence)
                    .note("each comparison of the rule's evidence, with the value that was seen"));
}

constexpr auto fields_of(const Diagnosis*) {
  return object(field("rule", &Diagnosis::rule), field("symptom", &Diagnosis::symptom),
                field("cause", &Diagnosis::cause), field("remedy", &Diagnosis::remedy),
                field("source", &Diagnosis::source).if_any().note("where the rule comes from"),
                field("cases", &Diagnosis::cases).note("cases that show the symptom"));
}

}  // namespace assay::model
