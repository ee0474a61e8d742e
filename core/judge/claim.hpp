// SPDX-License-Identifier: Apache-2.0
//
// A claim as two sides and a margin.
#pragma once

#include "judge/estimate.hpp"
#include "model/document_finding.hpp"
#include "model/vocabulary.hpp"
#include "suite/suite.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::judge {

using model::FindingVerdict;

// A part of a side that the claim's names stand for: `free`, or a quantity with a unit.
struct ClaimPart {
  const suite::Expression* expression = nullptr;
  std::string text;  // as the claim has it
};

// One side as a product: `0.5 * 2.1 * model * free` is 1.05, model and free, however it is put in brackets or
// shared out over `let`. Where a side is not a product, it is one part.
struct ClaimSide {
  double factor = 1;
  std::vector<ClaimPart> times, over;
  bool has_own_number = false;                      // a part holds a quantity that is not a factor
  std::vector<const suite::Expression*> selectors;  // below it, through `let`
};

// The side without its factor, as text.
[[nodiscard]] std::string to_text(const ClaimSide& side);

// What is compared with the claim's limit: `ratio`, left / right; `quantity`, that ratio times the quantities that the
// right side has, `compute / read` of `compute >= 412 FLOP/B * read` or the left side of `latency <= 5us`;
// `difference`, a left side that may be zero or below.
enum class ClaimForm { ratio, quantity, difference };

// left · left.factor  comparison  right · right.factor. The effect is left / right, without factors. A side that
// names no case stands on the right, with the comparison turned round if the suite wrote it on the left.
struct Claim {
  const suite::SuiteFinding* finding = nullptr;
  ClaimSide left, right;
  ClaimForm form = ClaimForm::ratio;
  std::string left_name, right_name;  // the sides without their factors, with the names of `let`
  // What is compared with the limit, with the names of `let`: "fp8 / bf16", "compute / read".
  std::string measured;
  Estimate quantity;  // by which the ratio is multiplied to give it; 1 of a ratio. Of a difference the limit
  bool percent = false;  // the suite wrote its limit as a share
  ComparisonOperator comparison = ComparisonOperator::greater;
  double margin = 1;             // right.factor / left.factor: what left / right is compared with
  bool explicit_margin = false;  // the suite wrote a factor or a quantity, which then stands instead of theta
};

// No value, and `problem` set, if the claim is not a relation of numbers.
[[nodiscard]] std::optional<Claim> read_claim(const suite::SuiteFinding& finding, std::string* problem);

// The same claim on a quantity that is zero or below somewhere, of which there are no logarithms: judged by its difference
// from the limit.
[[nodiscard]] Claim as_difference(Claim claim);
// Whether it can be: one that names no case on the right and asks for more or for less. Sameness has a tolerance, which is
// a share.
[[nodiscard]] bool may_be_difference(const Claim& claim);

struct ClaimValues {
  double left = 0, right = 0;          // positive, unless the claim is about a difference
  ValueRange left_range, right_range;  // what they may be with every value of the operands
  std::string left_unit, right_unit;
  std::string problem;        // of another dimension, no number, or not positive
  bool has_no_ratio = false;  // the last of these
};
// Both sides without their factors, given what each selector's value is.
[[nodiscard]] ClaimValues evaluate_claim(const Claim& claim,
                                         const std::function<Estimate(const suite::Expression&)>& value_of);

// How far beyond the margin a ratio may lie: theta, or 0 where the suite wrote a margin and not sameness.
[[nodiscard]] double claim_tolerance(const Claim& claim, double theta);

// The logarithms of what a ratio is compared with: one, or two for sameness, the smaller first.
[[nodiscard]] std::vector<double> claim_limits(const Claim& claim, double theta);

// What the document says that the claim asks: left / right `factor` times, within `tolerance`, a share; and the same of
// what is measured in its own unit, of a ratio "×", of a share "%", with names as the claim has them.
[[nodiscard]] model::Threshold limit_of(const Claim& claim, double theta);

// The limits of what is measured, in its unit, the smaller first.
[[nodiscard]] std::vector<double> measured_limits(const Claim& claim, double theta);

// Judges the 95 % interval of a difference against its limit: wholly on the claimed side of it is confirmed, wholly on
// the other refuted, else undecided. One whose ends agree with its limit is equal to it.
[[nodiscard]] FindingVerdict difference_verdict(const Claim& claim, const ValueRange& difference);

// Judges the 95 % interval of left / right. With an explicit margin: wholly on the claimed side of it is
// confirmed, wholly on the other refuted. Without: `>` asks for more than theta, `>=` for not less than theta
// below (`<`, `<=` mirrored), `==` for staying within theta. Otherwise small, if all of the interval lies on
// one side of the margin (a difference is shown, and not how it compares with theta), else undecided. An
// interval whose ends agree with a limit lies on it. Limits are symmetric in logarithms.
[[nodiscard]] FindingVerdict claim_verdict(const Claim& claim, const ValueRange& ratio, double theta);

}  // namespace assay::judge
