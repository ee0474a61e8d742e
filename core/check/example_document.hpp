// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::check {

// A small result as a run writes it: a case that passed, with a rate and its interval, and one that failed. Its texts
// have what formats escape.
[[nodiscard]] std::string example_document();

}  // namespace assay::check
