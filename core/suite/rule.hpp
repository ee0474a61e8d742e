// SPDX-License-Identifier: Apache-2.0
//
// Bottleneck rules (suites/rules/*.yaml, docs/reference/rules.md): a symptom, the evidence that a case must have
// for it, its cause and its remedy.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "model/field.hpp"

#include <map>
#include <string>
#include <vector>

namespace assay::suite {

struct Rule {
  std::string id;
  std::string uses;  // the benchmark, on any backend; "": whichever names what the evidence does
  std::map<std::string, std::vector<std::string>>
      env;                            // variable → values, of which it has one; none: any value
  std::vector<std::string> evidence;  // comparisons, all of which hold
  std::string symptom, cause, remedy, source;
};
constexpr auto fields_of(const Rule*) {
  using model::field;
  return model::object(field("id", &Rule::id), field("uses", &Rule::uses).if_any(),
                       field("env", &Rule::env).if_any(), field("evidence", &Rule::evidence).if_any(),
                       field("symptom", &Rule::symptom), field("cause", &Rule::cause),
                       field("remedy", &Rule::remedy), field("source", &Rule::source).if_any());
}

// The rules of one file's text, in its order. Problems go to diagnostics at their positions, as "rules.…".
[[nodiscard]] std::vector<Rule> parse_rules(const std::string& file, const std::string& text,
                                            Diagnostics& diagnostics);

}  // namespace assay::suite
