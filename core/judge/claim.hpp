// SPDX-License-Identifier: Apache-2.0
//
// A claim as two sides and a margin.
#pragma once

#include "judge/estimate.hpp"
#include "suite/suite.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::judge {

// A part of a side that the claim's names stand for: `free`, or a quantity with a unit.
struct ClaimPart {
  const suite::Expression* expression = nullptr;
  std::string text;  // as the claim has it
};

// One side as a product: `0.5 * 2.1 * model * free` is 1.05, model and free, however it is put in brackets or
// shared out over `let`. Where a side is no product, it is one part.
struct ClaimSide {
  double factor = 1;
  std::vector<ClaimPart> times, over;
  bool has_own_number = false;                      // a part holds a quantity that is no factor
  std::vector<const suite::Expression*> selectors;  // below it, through `let`
};

// The side without its factor, as text.
[[nodiscard]] std::string to_text(const ClaimSide& side);

// left · left.factor  comparison  right · right.factor. The effect is left / right, without factors.
struct Claim {
  const suite::Finding* finding = nullptr;
  ClaimSide left, right;
  Comparison comparison = Comparison::greater;
  double margin = 1;             // right.factor / left.factor: what left / right is held against
  bool explicit_margin = false;  // the suite wrote a factor or a quantity, which then stands instead of theta
};

// No value, and `problem` set, if the claim is no relation of numbers.
[[nodiscard]] std::optional<Claim> read_claim(const suite::Finding& finding, std::string* problem);

struct ClaimValues {
  double left = 0, right = 0;  // positive
  std::string left_unit, right_unit;
  std::string problem;  // of another dimension, or not positive
};
// Both sides without their factors, given what each selector's value is.
[[nodiscard]] ClaimValues evaluate_claim(const Claim& claim,
                                         const std::function<Estimate(const suite::Expression&)>& value_of);

// How far beyond the margin a ratio may lie: theta, or 0 where the suite wrote a margin and not sameness.
[[nodiscard]] double claim_tolerance(const Claim& claim, double theta);

// The logarithms of what a ratio is held against: one, or two for sameness, the smaller first.
[[nodiscard]] std::vector<double> claim_limits(const Claim& claim, double theta);

// Judges the 95 % interval of left / right. With an explicit margin: wholly on the claimed side of it is
// confirmed, wholly on the other refuted. Without: `>` asks for more than theta, `>=` for not less than theta
// below (`<`, `<=` mirrored), `==` for staying within theta. Otherwise small, if all of the interval lies on
// one side of the margin (a difference is shown, and not how it compares with theta), else undecided. Limits are
// symmetric in logarithms.
[[nodiscard]] std::string claim_verdict(const Claim& claim, const Interval& ratio, double theta);

}  // namespace assay::judge
