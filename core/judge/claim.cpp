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

// Names are those of `let`; every selector has one value.
class ClaimScope final : public Scope {
 public:
  ClaimScope(const suite::Finding& finding, const std::function<Estimate(const Expression&)>& value_of)
      : finding_(finding), value_of_(value_of) {}

  [[nodiscard]] Evaluated name(const std::string& name) const override {
    const Expression* let = let_named(finding_, name);
    return let ? evaluate(*let, *this) : Evaluated::not_judged("'" + name + "' is not defined in 'let'");
  }
  [[nodiscard]] std::vector<Text> texts(const std::string&) const override { return {}; }
  [[nodiscard]] Evaluated base_of_percent(const std::string& base, const std::string&) const override {
    return name(base);
  }
  [[nodiscard]] Evaluated call(const Expression& call) const override {
    return Evaluated::of(value_of_(*call.operands.front()));  // best(selector): the candidate that was picked
  }
  [[nodiscard]] Evaluated selector(const Expression& selector) const override {
    return Evaluated::of(value_of_(selector));
  }

 private:
  const suite::Finding& finding_;
  const std::function<Estimate(const Expression&)>& value_of_;
};

// What a part is in numbers alone, `1 + 0.02`: its value, if it has no unit and is above zero.
std::optional<double> plain_factor(const Expression& expression, const suite::Finding& finding) {
  if (expression.is_text || !suite::names(expression).empty()) return std::nullopt;
  const std::function<Estimate(const Expression&)> nothing;
  const Evaluated value = evaluate(expression, ClaimScope(finding, nothing));
  const bool plain = value.ok() && value.estimate.dimension.none() && value.estimate.value > 0;
  return plain ? std::optional(value.estimate.value) : std::nullopt;
}

// A number of the suite's own, anywhere in it.
bool holds_number(const Expression& expression, const suite::Finding& finding) {
  if (expression.kind == Kind::quantity) return true;
  if (expression.kind == Kind::name)
    if (const Expression* let = let_named(finding, expression.name)) return holds_number(*let, finding);
  return std::any_of(expression.operands.begin(), expression.operands.end(),
                     [&](const suite::ExpressionPtr& operand) { return holds_number(*operand, finding); });
}

// Adds an expression's factors and parts to a side; those of a divisor go to the other place.
void flatten(const Expression& expression, const std::string& text, const suite::Finding& finding,
             bool divisor, ClaimSide& side) {
  const auto operand = [&](std::size_t i, bool below) {
    const Expression& inner = *expression.operands[i];
    flatten(inner, suite::to_text(inner), finding, divisor != below, side);
  };
  const auto take = [&](double factor) { side.factor *= divisor ? 1 / factor : factor; };
  if (const auto factor = plain_factor(expression, finding)) return take(*factor);
  if (expression.kind == Kind::multiply || expression.kind == Kind::divide) {
    operand(0, false);
    return operand(1, expression.kind == Kind::divide);
  }
  if (expression.kind == Kind::percent_of && expression.quantity.value > 0) {
    // `95% of auto` is 0.95 and the expression that `let` calls auto.
    if (const Expression* let = let_named(finding, expression.name)) {
      take(expression.quantity.value);
      return flatten(*let, expression.name, finding, divisor, side);
    }
  }
  if (expression.kind == Kind::name) {
    const Expression* let = let_named(finding, expression.name);
    if (let && (let->kind == Kind::multiply || let->kind == Kind::divide))
      return flatten(*let, text, finding, divisor, side);
  }
  side.has_own_number = side.has_own_number || holds_number(expression, finding);
  (divisor ? side.over : side.times).push_back({&expression, text});
}

ClaimSide side_of(const Expression& expression, const suite::Finding& finding) {
  ClaimSide side;
  flatten(expression, suite::to_text(expression), finding, false, side);
  // A side of factors alone, 1.05 say, is a value.
  if (side.times.empty() && side.over.empty())
    return {1, {{&expression, suite::to_text(expression)}}, {}, true, {}};
  return side;
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

Evaluated evaluate_side(const ClaimSide& side, const Scope& scope) {
  Estimate product = exact(1, {});
  for (const std::vector<ClaimPart>* parts : {&side.times, &side.over})
    for (const ClaimPart& part : *parts) {
      Evaluated value = evaluate(*part.expression, scope);
      if (!value.ok()) return value;
      product = parts == &side.times ? multiply(product, value.estimate) : divide(product, value.estimate);
    }
  return Evaluated::of(product);
}

}  // namespace

std::string to_text(const ClaimSide& side) {
  std::string text;
  for (const ClaimPart& part : side.times) text += (text.empty() ? "" : " * ") + part.text;
  if (text.empty()) text = "1";
  for (const ClaimPart& part : side.over) text += " / " + part.text;
  return text;
}

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
  claim.left = side_of(*finding.claim->operands[0], finding);
  claim.right = side_of(*finding.claim->operands[1], finding);
  collect(*finding.claim->operands[0], finding, claim.left.selectors);
  collect(*finding.claim->operands[1], finding, claim.right.selectors);
  claim.margin = claim.right.factor / claim.left.factor;
  claim.explicit_margin = claim.margin != 1 || claim.left.has_own_number || claim.right.has_own_number ||
                          claim.left.selectors.empty() || claim.right.selectors.empty();
  if (claim.left.selectors.empty() && claim.right.selectors.empty()) {
    *problem = "the claim names no case";
    return std::nullopt;
  }
  return claim;
}

ClaimValues evaluate_claim(const Claim& claim, const std::function<Estimate(const Expression&)>& value_of) {
  const ClaimScope scope(*claim.finding, value_of);
  const Evaluated left = evaluate_side(claim.left, scope);
  const Evaluated right = evaluate_side(claim.right, scope);
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

std::vector<double> claim_limits(const Claim& claim, double theta) {
  const double margin = std::log(claim.margin);
  const double tolerance = std::log1p(claim_tolerance(claim, theta));
  switch (claim.comparison) {
    case Comparison::greater:
    case Comparison::less_equal:
      return {margin + tolerance};
    case Comparison::greater_equal:
    case Comparison::less:
      return {margin - tolerance};
    case Comparison::equal:
    case Comparison::not_equal:
      return {margin - tolerance, margin + tolerance};
  }
  return {margin};
}

std::string claim_verdict(const Claim& claim, const Interval& ratio, double theta) {
  const double low = std::log(ratio.low);
  const double high = std::log(ratio.high);
  const double margin = std::log(claim.margin);
  const std::vector<double> limits = claim_limits(claim, theta);
  const auto verdict = [&](bool confirmed, bool refuted) {
    if (confirmed || refuted) return std::string(confirmed ? "confirmed" : "refuted");
    return std::string(low > margin || high < margin ? "small" : "undecided");
  };
  switch (claim.comparison) {
    case Comparison::greater:
      return verdict(low > limits.front(), high <= limits.front());
    case Comparison::greater_equal:
      return verdict(low >= limits.front(), high < limits.front());
    case Comparison::less:
      return verdict(high < limits.front(), low >= limits.front());
    case Comparison::less_equal:
      return verdict(high <= limits.front(), low > limits.front());
    case Comparison::equal:
    case Comparison::not_equal: {
      const bool same = low >= limits.front() && high <= limits.back();
      const bool apart = low > limits.back() || high < limits.front();
      return claim.comparison == Comparison::equal ? verdict(same, apart) : verdict(apart, same);
    }
  }
  return "undecided";
}

}  // namespace assay::judge
