// SPDX-License-Identifier: Apache-2.0
//
// The result as JUnit XML. docs/reference/junit.md says what each consumer reads; junit.xsd fixes the
// portable dialect.
#pragma once

#include "lib/document.hpp"
#include "lib/options.hpp"

#include <string>

namespace assay::reporters {

enum class Dialect {
  portable,  // what the strictest consumer accepts
  rich       // adds file, line, assertions and properties to test cases
};

struct JunitOptions {
  Dialect dialect = Dialect::portable;
  std::string prefix;  // of suites and classes, with a point behind it; "" for none
};

// Throws BadOption.
[[nodiscard]] JunitOptions junit_options(const OptionList& options);

[[nodiscard]] std::string render_junit(const Document& document, const JunitOptions& options);

}  // namespace assay::reporters
