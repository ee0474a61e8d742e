// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/effort.hpp"
#include "plan/plan.hpp"

#include <string>

namespace assay::cli {

// What --dry-run prints: a line per case with where and how it would be measured, what is settled already, each reason
// once, and what is missing; broken into lines of `width`, if it is above 0.
[[nodiscard]] std::string plan_text(const suite::Suite& suite, const plan::Plan& plan,
                                    const engine::Effort& effort, int width);

// How the variants of each case differ, a line each; "" if no case has any.
[[nodiscard]] std::string variants_text(const suite::Suite& suite, const plan::Plan& plan);

}  // namespace assay::cli
