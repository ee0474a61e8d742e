// SPDX-License-Identifier: Apache-2.0
#include "judge/claim.hpp"

#include "judge/evaluate.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::judge {
namespace {

using suite::Expression;
using Kind = Expression::Kind;

const Expression* let_named(const suite::SuiteFinding& finding, const std::string& name) {
  for (const auto& [key, expression] : finding.let)
    if (key.value == name) return expression.get();
  return nullptr;
}

// Names are those of `let`; every selector has one value.
class ClaimScope final : public Scope {
 public:
  ClaimScope(const suite::SuiteFinding& finding, const std::function<Estimate(const Expression&)>& value_of)
      : finding_(finding), value_of_(value_of) {}

  [[nodiscard]] Evaluated name(const std::string& name) const override {
    const Expression* let = let_named(finding_, name);
    return let ? evaluate(*let, *this) : Evaluated::not_judged("'" + name + "' is not defined in 'let'");
  }
  [[nodiscard]] std::vector<Text> texts(const std::string&) const override { return {}; }
  [[nodiscard]] Evaluated base_of_percent(const std::string& base, const Expression*) const override {
    return name(base);
  }
  [[nodiscard]] Evaluated call(const Expression& call) const override {
    return Evaluated::of(value_of_(*call.operands.front()));  // best(selector): the candidate that was picked
  }
  [[nodiscard]] Evaluated selector(const Expression& selector) const override {
    return Evaluated::of(value_of_(selector));
  }

 private:
  const suite::SuiteFinding& finding_;
  const std::function<Estimate(const Expression&)>& value_of_;
};

// What a part is in numbers alone, `1 + 0.02`: its value, if it has no unit and is above zero.
std::optional<double> plain_factor(const Expression& expression, const suite::SuiteFinding& finding) {
  if (expression.is_text || !suite::names(expression).empty()) return std::nullopt;
  const std::function<Estimate(const Expression&)> nothing;
  const Evaluated value = evaluate(expression, ClaimScope(finding, nothing));
  const bool plain = value.ok() && value.estimate.dimension.none() && value.estimate.value > 0;
  return plain ? std::optional(value.estimate.value) : std::nullopt;
}

// A number of the suite's own, anywhere in it.
bool holds_number(const Expression& expression, const suite::SuiteFinding& finding) {
  if (expression.kind == Kind::quantity) return true;
  if (expression.kind == Kind::name)
    if (const Expression* let = let_named(finding, expression.name)) return holds_number(*let, finding);
  return std::any_of(expression.operands.begin(), expression.operands.end(),
                     [&](const suite::ExpressionPtr& operand) { return holds_number(*operand, finding); });
}

// Adds an expression's factors and parts to a side; those of a divisor go to the other place.
void flatten(const Expression& expression, const std::string& text, const suite::SuiteFinding& finding,
             bool divisor, ClaimSide& side) {
  const auto operand = [&](std::size_t i, bool below) {
    const Expression& inner = *expression.operands[i];
    flatten(inner, suite::to_text(inner), finding, divisor != below, side);
  };
  const auto take = [&](double factor) {
    side.factor = divisor ? side.factor / factor : side.factor * factor;
  };
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

ClaimSide side_of(const Expression& expression, const suite::SuiteFinding& finding) {
  ClaimSide side;
  flatten(expression, suite::to_text(expression), finding, false, side);
  // A side of factors alone, 1.05 say, is a value.
  if (side.times.empty() && side.over.empty())
    return {1, {{&expression, suite::to_text(expression)}}, {}, true, {}};
  return side;
}

void collect(const Expression& expression, const suite::SuiteFinding& finding,
             std::vector<const Expression*>& selectors) {
  if (expression.kind == Kind::selector) {
    add_once(selectors, &expression);
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

// What an expression is, behind the names that stand for it.
const Expression& meant(const Expression& expression, const suite::SuiteFinding& finding) {
  const Expression* found = &expression;
  for (std::size_t depth = 0; depth <= finding.let.size() && found->kind == Kind::name; ++depth) {
    const Expression* const let = let_named(finding, found->name);
    if (!let) break;
    found = let;
  }
  return *found;
}

bool may_be_negative(const ClaimSide& side, const suite::SuiteFinding& finding) {
  if (side.times.size() != 1 || !side.over.empty()) return false;
  const Kind kind = meant(*side.times.front().expression, finding).kind;
  return kind == Kind::subtract || kind == Kind::negate;
}

bool names_a_case(const ClaimPart& part, const suite::SuiteFinding& finding) {
  std::vector<const Expression*> selectors;
  collect(*part.expression, finding, selectors);
  return !selectors.empty();
}

// The product of the parts that name no case.
Estimate product_of_quantities(const std::vector<ClaimPart>& parts, const suite::SuiteFinding& finding) {
  const std::function<Estimate(const Expression&)> nothing;
  const ClaimScope scope(finding, nothing);
  Estimate product = exact(1, {});
  for (const ClaimPart& part : parts) {
    if (names_a_case(part, finding)) continue;
    if (const Evaluated value = evaluate(*part.expression, scope); value.ok())
      product = multiply(product, value.estimate);
  }
  return product;
}

bool is_product(const Expression& expression) {
  return expression.kind == Kind::multiply || expression.kind == Kind::divide;
}

// A factor or a quantity that the name of the expression would hide.
bool holds_factor(const Expression& expression, const suite::SuiteFinding& finding) {
  if (!names_a_case({&expression, {}}, finding)) return true;
  if (expression.kind == Kind::name) {
    const Expression* const let = let_named(finding, expression.name);
    return let && is_product(*let) && holds_factor(*let, finding);
  }
  return is_product(expression) &&
         std::any_of(expression.operands.begin(), expression.operands.end(),
                     [&](const suite::ExpressionPtr& operand) { return holds_factor(*operand, finding); });
}

// A side without its factors as the claim has it, with the names of `let`; without its quantities, too, or not.
std::string shown(const Expression& expression, const suite::SuiteFinding& finding, bool quantities) {
  if (plain_factor(expression, finding)) return {};
  if (!quantities && !names_a_case({&expression, {}}, finding)) return {};
  if (expression.kind == Kind::percent_of && let_named(finding, expression.name)) return expression.name;
  const Expression* const let = expression.kind == Kind::name ? let_named(finding, expression.name) : nullptr;
  if (let && is_product(*let) && holds_factor(*let, finding)) return shown(*let, finding, quantities);
  if (!is_product(expression)) return suite::to_text(expression);
  const auto operand = [&](std::size_t i) {
    const Expression& inner = *expression.operands[i];
    const std::string text = shown(inner, finding, quantities);
    const bool sum = inner.kind == Kind::add || inner.kind == Kind::subtract;
    const bool quotient = i == 1 && is_product(inner) && text.find(' ') != std::string::npos;
    return sum || quotient ? "(" + text + ")" : text;
  };
  std::string first = operand(0);
  const std::string second = operand(1);
  if (second.empty()) return first;
  if (expression.kind == Kind::multiply) return first.empty() ? second : first + " * " + second;
  return (first.empty() ? "1" : first) + " / " + second;
}

// A side of one case is shown as what that measured, under the name that stands for it alone.
std::string name_of(const ClaimSide& side, const Expression& expression, const suite::SuiteFinding& finding) {
  if (side.selectors.size() == 1)
    for (const auto& [name, let] : finding.let) {
      const bool call = let->kind == Kind::call && let->operands.size() == 1;
      if ((call ? let->operands.front().get() : let.get()) == side.selectors.front()) return name.value;
    }
  return shown(expression, finding, true);
}

// What is compared with which limit, in which unit.
void read_form(Claim& claim, const Expression& measured_side, const Expression& limit_side) {
  const suite::SuiteFinding& finding = *claim.finding;
  if (claim.right.selectors.empty()) {
    const std::function<Estimate(const Expression&)> nothing;
    const Evaluated limit = evaluate_side(claim.right, ClaimScope(finding, nothing));
    claim.measured = suite::to_text(measured_side);
    claim.percent = limit_side.kind == Kind::quantity && limit_side.quantity.percent;
    const bool positive = limit.ok() && limit.estimate.value > 0;
    claim.form =
        positive && !may_be_negative(claim.left, finding) ? ClaimForm::quantity : ClaimForm::difference;
    if (limit.ok())
      claim.quantity =
          multiply(limit.estimate,
                   exact(claim.form == ClaimForm::quantity ? claim.left.factor : claim.right.factor, {}));
    return;
  }
  const Estimate above = multiply(product_of_quantities(claim.right.times, finding),
                                  product_of_quantities(claim.left.over, finding));
  const Estimate below = multiply(product_of_quantities(claim.right.over, finding),
                                  product_of_quantities(claim.left.times, finding));
  claim.quantity = divide(above, below);
  claim.form = claim.quantity.dimension.none() ? ClaimForm::ratio : ClaimForm::quantity;
  if (claim.form == ClaimForm::ratio) claim.quantity = exact(1, {});
  const bool quantities = claim.form == ClaimForm::ratio;
  const std::string under = shown(limit_side, finding, quantities);
  claim.measured =
      shown(measured_side, finding, quantities) + " / " +
      (under.find(' ') != std::string::npos && limit_side.kind != Kind::call ? "(" + under + ")" : under);
}

}  // namespace

std::string to_text(const ClaimSide& side) {
  std::string text;
  for (const ClaimPart& part : side.times) text += (text.empty() ? "" : " * ") + part.text;
  if (text.empty()) text = "1";
  for (const ClaimPart& part : side.over) text += " / " + part.text;
  return text;
}

std::optional<Claim> read_claim(const suite::SuiteFinding& finding, std::string* problem) {
  const std::optional<ComparisonOperator> comparison =
      finding.claim ? comparison_of(finding.claim->kind) : std::optional<ComparisonOperator>();
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
  if (claim.left.selectors.empty() && claim.right.selectors.empty()) {
    *problem = "the claim names no case";
    return std::nullopt;
  }
  const bool limit_first = claim.left.selectors.empty();
  if (limit_first) {
    std::swap(claim.left, claim.right);
    claim.comparison = mirrored(claim.comparison);
  }
  claim.margin = claim.right.factor / claim.left.factor;
  if (agree(claim.margin, 1)) claim.margin = 1;  // `0.1 * 3 * a >= 0.3 * b`
  claim.explicit_margin = claim.margin != 1 || claim.left.has_own_number || claim.right.has_own_number ||
                          claim.right.selectors.empty();
  const Expression& measured_side = *finding.claim->operands[limit_first ? 1 : 0];
  const Expression& limit_side = *finding.claim->operands[limit_first ? 0 : 1];
  claim.left_name = name_of(claim.left, measured_side, finding);
  claim.right_name =
      claim.right.selectors.empty() ? suite::to_text(limit_side) : name_of(claim.right, limit_side, finding);
  read_form(claim, measured_side, limit_side);
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
  const bool difference = claim.form == ClaimForm::difference;
  values.left = left.estimate.value * (difference ? claim.left.factor : 1);
  values.right = right.estimate.value * (difference ? claim.right.factor : 1);
  // A left side that is what the claim asks for, apart from rounding, is that.
  const Estimate asked = difference ? claim.quantity : multiply(exact(claim.margin, {}), right.estimate);
  const Estimate reached = difference ? multiply(exact(claim.left.factor, {}), left.estimate) : left.estimate;
  if (agree(reached, asked)) values.left = asked.value;
  // So are ends of what it may be with every value that was seen.
  const auto end_of = [&](double end, double other) {
    const Estimate here{end, {end, end}, reached.dimension, reached.rounding};
    const Estimate limit = difference
                               ? claim.quantity
                               : multiply(exact(claim.margin, {}), exact(other, right.estimate.dimension));
    return agree(here, limit) ? limit.value : end;
  };
  const ValueRange& of_right = right.estimate.interval;
  values.left_range = {end_of(reached.interval.low, of_right.high),
                       end_of(reached.interval.high, of_right.low)};
  values.right_range = {of_right.low, of_right.high};
  values.left_unit = base_unit(left.estimate.dimension);
  values.right_unit = base_unit(right.estimate.dimension);
  if (!(left.estimate.dimension == right.estimate.dimension))
    values.problem = "the claim compares " + describe(left.estimate.dimension) + " with " +
                     describe(right.estimate.dimension);
  else if (!std::isfinite(values.left) || !std::isfinite(values.right))
    values.problem = "a side of the claim divides by zero, or is too large for a number";
  else if (!difference && (!(values.left_range.low > 0) || !(values.right_range.low > 0))) {
    values.has_no_ratio = true;
    values.problem = "a claim is judged by the ratio of its sides, but one side is not above zero";
  } else if (!difference && !(std::isnormal(values.left / values.right))) {
    values.problem = "the ratio of its sides is too large, or too small, for a number";
  }
  return values;
}

bool may_be_difference(const Claim& claim) {
  return claim.right.selectors.empty() && claim.comparison != ComparisonOperator::equal &&
         claim.comparison != ComparisonOperator::not_equal;
}

Claim as_difference(Claim claim) {
  claim.form = ClaimForm::difference;
  claim.quantity.value *= claim.margin;  // the limit, of which the left side keeps its factor
  return claim;
}

}  // namespace assay::judge
