// SPDX-License-Identifier: Apache-2.0
#include "judge/claim.hpp"

#include "judge/evaluate.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

using suite::Expression;
using Kind = Expression::Kind;

const Expression* let_named(const suite::Finding& finding, const std::string& name) {
  for (const auto& [key, expression] : finding.let)
    if (key.value == name) return expression.get();
  return nullptr;
}

bool plain_factor(const Expression& expression) {
  return expression.kind == Kind::quantity && expression.quantity.dimension.none() &&
         expression.quantity.value > 0;
}

// `95% of auto` is 0.95 and the expression that `let` calls auto.
ClaimSide strip(const Expression& expression, const suite::Finding& finding) {
  if (expression.kind == Kind::multiply) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
      if (plain_factor(*expression.operands[i])) {
        ClaimSide inner = strip(*expression.operands[1 - i], finding);
        inner.factor *= expression.operands[i]->quantity.value;
        return inner;
      }
  } else if (expression.kind == Kind::divide && plain_factor(*expression.operands[1])) {
    ClaimSide inner = strip(*expression.operands[0], finding);
    inner.factor /= expression.operands[1]->quantity.value;
    return inner;
  } else if (expression.kind == Kind::percent_of && expression.quantity.value > 0) {
    if (const Expression* let = let_named(finding, expression.name))
      return {expression.quantity.value, let, {}};
  }
  return {1, &expression, {}};
}

void collect(const Expression& expression, const suite::Finding& finding,
             std::vector<const Expression*>& selectors) {
  if (expression.kind == Kind::selector) {
    if (std::find(selectors.begin(), selectors.end(), &expression) == selectors.end())
      selectors.push_back(&expression);
  } else if (expression.kind == Kind::name || expression.kind == Kind::percent_of) {
    if (const Expression* let = let_named(finding, expression.name)) collect(*let, finding, selectors);
  }
  for (const suite::ExpressionPtr& operand : expression.operands) collect(*operand, finding, selectors);
}

// Names are those of `let`; every selector has one value.
class ClaimScope final : public Scope {
 public:
  ClaimScope(const suite::Finding& finding, const std::function<Estimate(const Expression&)>& value_of)
      : finding_(finding), value_of_(value_of) {}

  [[nodiscard]] Evaluated name(const std::string& name, Lean lean) const override {
    const Expression* let = let_named(finding_, name);
    return let ? evaluate(*let, *this, lean)
               : Evaluated::not_judged("'" + name + "' is not defined in 'let'");
  }
  [[nodiscard]] std::optional<std::string> text(const std::string&) const override { return std::nullopt; }
  [[nodiscard]] Evaluated base_of_percent(const std::string& base, const std::string&,
                                          Lean lean) const override {
    return name(base, lean);
  }
  [[nodiscard]] Evaluated call(const Expression& call, Lean) const override {
    return Evaluated::of(value_of_(*call.operands.front()));  // best(selector): the candidate that was picked
  }
  [[nodiscard]] Evaluated selector(const Expression& selector) const override {
    return Evaluated::of(value_of_(selector));
  }

 private:
  const suite::Finding& finding_;
  const std::function<Estimate(const Expression&)>& value_of_;
};

}  // namespace

std::optional<Claim> read_claim(const suite::Finding& finding, std::string* problem) {
  const std::optional<Comparison> comparison =
      finding.claim ? comparison_of(finding.claim->kind) : std::optional<Comparison>();
  if (!comparison || finding.claim->operands.size() != 2 || finding.claim->operands[0]->is_text ||
      finding.claim->operands[1]->is_text) {
    *problem = "the claim is not a relation of two numbers";
    return std::nullopt;
  }
  Claim claim;
  claim.finding = &finding;
  claim.comparison = *comparison;
  claim.left = strip(*finding.claim->operands[0], finding);
  claim.right = strip(*finding.claim->operands[1], finding);
  collect(*claim.left.expression, finding, claim.left.selectors);
  collect(*claim.right.expression, finding, claim.right.selectors);
  claim.margin = claim.right.factor / claim.left.factor;
  claim.explicit_margin = claim.margin != 1 || claim.left.selectors.empty() || claim.right.selectors.empty();
  if (claim.left.selectors.empty() && claim.right.selectors.empty()) {
    *problem = "the claim names no case";
    return std::nullopt;
  }
  return claim;
}

ClaimValues evaluate_claim(const Claim& claim, const std::function<Estimate(const Expression&)>& value_of) {
  const ClaimScope scope(*claim.finding, value_of);
  const Evaluated left = evaluate(*claim.left.expression, scope, Lean::high);
  const Evaluated right = evaluate(*claim.right.expression, scope, Lean::high);
  ClaimValues values;
  for (const Evaluated* side : {&left, &right})
    if (!side->ok() && values.problem.empty()) values.problem = side->why;
  if (!values.problem.empty()) return values;
  values.left = left.estimate.value;
  values.right = right.estimate.value;
  values.left_unit = base_unit(left.estimate.dimension);
  values.right_unit = base_unit(right.estimate.dimension);
  if (!(left.estimate.dimension == right.estimate.dimension))
    values.problem = "the claim compares " + describe(left.estimate.dimension) + " with " +
                     describe(right.estimate.dimension);
  else if (!(values.left > 0) || !(values.right > 0))
    values.problem = "a claim is judged by the ratio of its sides, and one of them is not above zero";
  return values;
}

double claim_tolerance(const Claim& claim, double theta) {
  // Sameness needs a tolerance, whoever wrote the margin.
  const bool sameness = claim.comparison == Comparison::equal || claim.comparison == Comparison::not_equal;
  return claim.explicit_margin && !sameness ? 0 : theta;
}

std::string claim_verdict(const Claim& claim, const Interval& ratio, double theta) {
  const double low = std::log(ratio.low);
  const double high = std::log(ratio.high);
  const double margin = std::log(claim.margin);
  const double tolerance = std::log1p(claim_tolerance(claim, theta));
  const auto verdict = [](bool confirmed, bool refuted) {
    return std::string(confirmed ? "confirmed" : refuted ? "refuted" : "undecided");
  };
  switch (claim.comparison) {
    case Comparison::greater:
      return verdict(low > margin + tolerance, high <= margin + tolerance);
    case Comparison::greater_equal:
      return verdict(low >= margin - tolerance, high < margin - tolerance);
    case Comparison::less:
      return verdict(high < margin - tolerance, low >= margin - tolerance);
    case Comparison::less_equal:
      return verdict(high <= margin + tolerance, low > margin + tolerance);
    case Comparison::equal:
    case Comparison::not_equal: {
      const bool same = low >= margin - tolerance && high <= margin + tolerance;
      const bool apart = low > margin + tolerance || high < margin - tolerance;
      return claim.comparison == Comparison::equal ? verdict(same, apart) : verdict(apart, same);
    }
  }
  return "undecided";
}

}  // namespace assay::judge
