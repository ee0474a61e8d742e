// SPDX-License-Identifier: Apache-2.0
//
// Every check, once: `assay plugin check`, its --explain and docs/reference/plugin-check.md are made from it.
#pragma once

#include "check/check_verdict.hpp"
#include "check/subject.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace assay::check {

// What a check needs before it can say anything.
enum class Needs {
  file,       // the files alone
  manifest,   // a valid manifest
  library,    // a valid manifest, and the library can be loaded here
  benchmarks  // the same, benchmarks, and where they can run
};

struct CheckDefinition {
  std::string_view id;     // stable: what scripts and JUnit name
  std::string_view group;  // what it looks at
  Needs needs = Needs::file;
  std::string_view paragraph;  // what is checked, and why
  CheckVerdict (*run)(const Subject&) = nullptr;
};
[[nodiscard]] const std::vector<CheckDefinition>& check_table();
[[nodiscard]] const CheckDefinition* find_check(std::string_view id);
// Throws Error "usage.check" if there is none.
[[nodiscard]] const CheckDefinition& check_named(const std::string& id);

// docs/reference/plugin-check.md, whole.
[[nodiscard]] std::string checks_markdown();

}  // namespace assay::check
