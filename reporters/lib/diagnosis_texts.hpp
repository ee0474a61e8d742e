// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"

#include <string>

namespace assay::reporters {

// The evidence of the first case that shows it, and how many more there are:
// "starved >= 20%: 43 % in workers[workers=1], and in 2 cases more".
[[nodiscard]] std::string shown_by(const model::Diagnosis& diagnosis);

}  // namespace assay::reporters
