// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/effort.hpp"
#include "plan/plan.hpp"

#include <string>

namespace assay::cli {

// What --dry-run prints: a line per case with where and how it would be measured, what is settled already,
// what is missing.
[[nodiscard]] std::string plan_text(const suite::Suite& suite, const plan::Plan& plan,
                                    const engine::Effort& effort);

// How the variants of each case differ, a line each; "" if no case has any.
[[nodiscard]] std::string variants_text(const suite::Suite& suite, const plan::Plan& plan);

}  // namespace assay::cli
