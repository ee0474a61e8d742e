// SPDX-License-Identifier: Apache-2.0
//
// --pairs A B: every case in two variants, in turn, in one run, and what the rounds say of them.
#pragma once

#include "comparison/compare.hpp"
#include "engine/surroundings.hpp"
#include "judge/judge.hpp"
#include "plan/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace assay::cli {

// What the variants are called.
inline constexpr const char* kBefore = "before";
inline constexpr const char* kAfter = "after";

struct PairOptions {
  std::vector<std::string> sides;  // two, or none
  std::string theta, no_worse_than;

  [[nodiscard]] bool is_asked() const { return !sides.empty(); }
};
void add_pair_options(CLI::App& command, PairOptions& options);

// "env:OMP_NUM_THREADS=1,with:m=4096" as a map of a suite. A part without '=' belongs to the value before it.
// Throws Error "usage.pairs".
[[nodiscard]] std::string variant_text(const std::string& side);

// Throws Error "usage.pairs" for options that leave nothing to pair, and "usage.share" for amounts that are none.
[[nodiscard]] comparison::Question question_of(const PairOptions& options);

// The request with both variants for each case that it chooses, as --set has them. Throws Error "usage.pairs" for cases
// that cannot be paired. Does not report an invalid suite: the next reader of the suite does.
[[nodiscard]] engine::Request with_pairs(const engine::Request& request, const PairOptions& options,
                                         const engine::SuiteText& suite);

// Throws Error "usage.pairs" if no case is planned in both variants, where any is.
void require_pairs(const plan::Plan& plan);

// The run's result with a verdict that the comparison of its variants worsens.
[[nodiscard]] judge::Judgement with_verdict_of_pairs(const judge::Judgement& judged,
                                                     const model::Comparison& found);

}  // namespace assay::cli
