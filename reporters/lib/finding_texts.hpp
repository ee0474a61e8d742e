// SPDX-License-Identifier: Apache-2.0
//
// What reporters say of one finding: what it came to, and the suite's sentences with figures filled in.
#pragma once

#include "lib/document.hpp"

#include <string>
#include <string_view>

namespace assay::reporters {

// "1.702× [1.697, 1.707]", "0.881× [0.877, 0.885] at 1MiB, the weakest of 3", "1.70× to 1.84× over 3 rows" where none of
// the rows is what the whole is, or "" without a value.
[[nodiscard]] std::string measured_text(const Finding& finding);
// The suite's sentence with its placeholders filled: docs/reference/reporters.md has them. An unknown one stays. Beside
// its interval an effect has its sign, as the interval has.
[[nodiscard]] std::string fill(std::string_view sentence, const Finding& finding);
// "1.8× (a vendor's guide)", or "".
[[nodiscard]] std::string expected_text(const Finding& finding);
// `do` is a command, or says what to do in words: they end with a full stop, or have no sign of a command.
[[nodiscard]] bool is_sentence(std::string_view act);
// No case has a value, so that each finding has the same to say.
[[nodiscard]] bool nothing_was_measured(const Document& document);
// The verdict says that no case was run.
[[nodiscard]] bool nothing_ran(const Document& document);
// Whether a finding with `assert` fails the run: not where nothing ran, which refutes nothing.
[[nodiscard]] bool assertion_failed(const Document& document, const Finding& finding);

}  // namespace assay::reporters
