// SPDX-License-Identifier: Apache-2.0
#include "judge/evaluate.hpp"

#include "judge/quantity_text.hpp"

#include <cmath>

namespace assay::judge {
namespace {

using Kind = suite::Expression::Kind;
using suite::Expression;

Lean other(Lean lean) { return lean == Lean::low ? Lean::high : Lean::low; }

Comparison mirrored(Comparison comparison) {
  switch (comparison) {
    case Comparison::less:
      return Comparison::greater;
    case Comparison::less_equal:
      return Comparison::greater_equal;
    case Comparison::greater:
      return Comparison::less;
    case Comparison::greater_equal:
      return Comparison::less_equal;
    default:
      return comparison;
  }
}

// The first metric that an expression names outside of `% of`: what "peak" and "reference" are peaks and
// references of.
std::string first_name(const Expression& expression) {
  if (expression.kind == Kind::name) return expression.name;
  if (expression.kind == Kind::selector) return expression.metric;
  if (expression.kind == Kind::percent_of) return {};
  for (const suite::ExpressionPtr& operand : expression.operands) {
    std::string found = first_name(*operand);
    if (!found.empty()) return found;
  }
  return {};
}

bool names_something(const Expression& expression) {
  if (expression.kind == Kind::name || expression.kind == Kind::selector || expression.kind == Kind::call)
    return true;
  for (const suite::ExpressionPtr& operand : expression.operands)
    if (names_something(*operand)) return true;
  return false;
}

// "60 GB/s <= bandwidth".
bool limit_is_first(const Expression& relation) {
  return !names_something(*relation.operands[0]) && names_something(*relation.operands[1]);
}

Evaluated evaluate_pair(const Expression& expression, const Scope& scope, Lean lean,
                        const std::string& relative_to) {
  Evaluated a = evaluate(*expression.operands[0], scope, lean, relative_to);
  if (!a.ok()) return a;
  // A larger subtrahend or divisor makes the result smaller, so the worst reading is at its other end.
  const bool opposite = expression.kind == Kind::subtract || expression.kind == Kind::divide;
  Evaluated b = evaluate(*expression.operands[1], scope, opposite ? other(lean) : lean, relative_to);
  if (!b.ok()) return b;
  const bool sum = expression.kind == Kind::add || expression.kind == Kind::subtract;
  if (sum && !(a.estimate.dimension == b.estimate.dimension))
    return Evaluated::not_judged("'" + suite::to_text(expression) + "' adds " +
                                 describe(a.estimate.dimension) + " and " + describe(b.estimate.dimension));
  Evaluated result = a.why.empty() ? b : a;
  switch (expression.kind) {
    case Kind::add:
      result.estimate = add(a.estimate, b.estimate);
      break;
    case Kind::subtract:
      result.estimate = subtract(a.estimate, b.estimate);
      break;
    case Kind::multiply:
      result.estimate = multiply(a.estimate, b.estimate);
      break;
    default:
      result.estimate = divide(a.estimate, b.estimate);
      break;
  }
  if (!std::isfinite(result.estimate.value))
    return Evaluated::not_judged("'" + suite::to_text(expression) + "' divides by zero");
  return result;
}

Evaluated evaluate_percent(const Expression& expression, const Scope& scope, Lean lean,
                           const std::string& relative_to) {
  Evaluated base = scope.base_of_percent(expression.name, relative_to, lean);
  if (!base.ok()) return base;
  base.why = percent_text(expression.quantity.value) + " of " +
             quantity_text(base.estimate.value, base_unit(base.estimate.dimension)) +
             (base.why.empty() ? "" : ", " + base.why);
  base.estimate = multiply(exact(expression.quantity.value, {}), base.estimate);
  return base;
}

// `algorithm == "ring"`: equality of texts.
Relation evaluate_text_relation(const Expression& relation, const Scope& scope, Comparison comparison) {
  const bool text_first = relation.operands[0]->is_text;
  const Expression& named = *relation.operands[text_first ? 1 : 0];
  const Expression& literal = *relation.operands[text_first ? 0 : 1];
  Relation result;
  result.comparison = comparison;
  result.is_text = true;
  result.limit_text = literal.text;
  if (comparison != Comparison::equal && comparison != Comparison::not_equal) {
    result.measured = Evaluated::not_judged("texts can be compared with == and != only");
    return result;
  }
  const std::optional<std::string> text =
      named.is_text ? std::optional<std::string>(named.text) : scope.text(named.name);
  if (!text) {
    result.measured = Evaluated::not_judged("'" + named.name + "' was not recorded");
    return result;
  }
  result.measured_text = *text;
  const bool same = *text == literal.text;
  result.truth = same == (comparison == Comparison::equal) ? Truth::yes : Truth::no;
  return result;
}

}  // namespace

std::optional<Comparison> comparison_of(suite::Expression::Kind kind) {
  switch (kind) {
    case Kind::less:
      return Comparison::less;
    case Kind::less_equal:
      return Comparison::less_equal;
    case Kind::greater:
      return Comparison::greater;
    case Kind::greater_equal:
      return Comparison::greater_equal;
    case Kind::equal:
      return Comparison::equal;
    case Kind::not_equal:
      return Comparison::not_equal;
    default:
      return std::nullopt;
  }
}

Evaluated evaluate(const Expression& expression, const Scope& scope, Lean lean,
                   const std::string& relative_to) {
  switch (expression.kind) {
    case Kind::quantity:
      return Evaluated::of(exact(expression.quantity.value, expression.quantity.dimension));
    case Kind::name:
      return scope.name(expression.name, lean);
    case Kind::selector:
      return scope.selector(expression);
    case Kind::percent_of:
      return evaluate_percent(expression, scope, lean, relative_to);
    case Kind::negate: {
      Evaluated inner = evaluate(*expression.operands[0], scope, other(lean), relative_to);
      if (inner.ok()) inner.estimate = negate(inner.estimate);
      return inner;
    }
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply:
    case Kind::divide:
      return evaluate_pair(expression, scope, lean, relative_to);
    case Kind::call:
      return scope.call(expression, lean);
    default:
      return Evaluated::not_judged("'" + suite::to_text(expression) + "' is a relation inside an expression");
  }
}

Relation unjudged_relation(const Expression& relation, std::string why) {
  Relation result;
  result.measured = Evaluated::not_judged(std::move(why));
  const std::optional<Comparison> comparison = comparison_of(relation.kind);
  if (comparison && relation.operands.size() == 2)
    result.comparison = limit_is_first(relation) ? mirrored(*comparison) : *comparison;
  return result;
}

Relation evaluate_relation(const Expression& relation, const Scope& scope) {
  const std::optional<Comparison> comparison = comparison_of(relation.kind);
  if (!comparison || relation.operands.size() != 2)
    return unjudged_relation(relation, "'" + suite::to_text(relation) + "' is not a relation");
  if (relation.operands[0]->is_text || relation.operands[1]->is_text)
    return evaluate_text_relation(relation, scope, *comparison);

  Relation result;
  const bool limit_first = limit_is_first(relation);
  const Expression& measured = *relation.operands[limit_first ? 1 : 0];
  const Expression& limit = *relation.operands[limit_first ? 0 : 1];
  result.comparison = limit_first ? mirrored(*comparison) : *comparison;
  const bool from_below =
      result.comparison == Comparison::less || result.comparison == Comparison::less_equal;
  const Lean lean = from_below ? Lean::high : Lean::low;
  std::string about = first_name(measured);
  const std::string about_limit = first_name(limit);
  result.measured = evaluate(measured, scope, lean, about_limit.empty() ? about : about_limit);
  result.limit = evaluate(limit, scope, other(lean), about.empty() ? about_limit : about);
  if (!result.measured.ok() || !result.limit.ok()) return result;
  if (!(result.measured.estimate.dimension == result.limit.estimate.dimension)) {
    result.limit = Evaluated::not_judged(describe(result.measured.estimate.dimension) + " is compared with " +
                                         describe(result.limit.estimate.dimension));
    return result;
  }
  result.truth = compare(result.measured.estimate, result.comparison, result.limit.estimate);
  return result;
}

const char* to_text(Comparison comparison) {
  switch (comparison) {
    case Comparison::less:
      return "<";
    case Comparison::less_equal:
      return "<=";
    case Comparison::greater:
      return ">";
    case Comparison::greater_equal:
      return ">=";
    case Comparison::equal:
      return "==";
    case Comparison::not_equal:
      return "!=";
  }
  return "==";
}

}  // namespace assay::judge
