// SPDX-License-Identifier: Apache-2.0
//
// What a suite is for, without a plan: nothing of this machine or of the plugins decides it.
#pragma once

#include "suite/suite.hpp"

#include <string>

namespace assay::cli {

// "cuda, >=2 devices".
[[nodiscard]] std::string needs_text(const suite::Requires& needs);

// Its description, what it needs, its cases with their axes, and its questions, no wider than `width` columns.
[[nodiscard]] std::string summary_of(const suite::Suite& suite, int width);

}  // namespace assay::cli
