// SPDX-License-Identifier: Apache-2.0
#include "suite/characters.hpp"
#include "suite/expression.hpp"
#include "suite/lexer.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <string>

namespace assay::suite {

namespace {

using Kind = Expression::Kind;

const Operator* operator_of(Kind kind) {
  return find_in(kOperators, [&](const Operator& each) { return each.kind == kind; });
}

// Operands bind tightest.
int power(Kind kind) {
  constexpr int kOperand = 50;
  const Operator* const known = operator_of(kind);
  return known != nullptr ? known->power : kind == Kind::negate ? kNegation : kOperand;
}

std::string quote(const std::string& text) {
  const char mark = text.find('"') == std::string::npos ? '"' : '\'';
  return mark + text + mark;
}

bool is_bare_value(const std::string& text) {
  if (text.empty()) return false;
  for (const char c : text) {
    const bool plain = is_letter(c) || is_digit(c) ||
                       std::string_view(".:+-/%@").find(c) != std::string_view::npos ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (!plain) return false;
  }
  return true;
}

std::string selector_text(const Expression& expression) {
  std::string text = expression.name + "[";
  for (std::size_t i = 0; i < expression.terms.size(); ++i) {
    const SelectorTerm& term = expression.terms[i];
    if (i > 0) text += ", ";
    text += term.axis + "=";
    if (term.kind == SelectorTerm::Kind::unset) text += "~";
    if (term.kind == SelectorTerm::Kind::any) text += "*";
    if (term.kind == SelectorTerm::Kind::value)
      text += is_bare_value(term.text) ? term.text : quote(term.text);
  }
  return text + "]." + expression.metric;
}

// `least` is the loosest power that needs no parentheses here.
std::string write(const Expression& expression, int least) {
  const int own = power(expression.kind);
  if (own < least) return "(" + write(expression, 0) + ")";
  switch (expression.kind) {
    case Kind::quantity:
      return to_text(expression.quantity);
    case Kind::name:
      return expression.name;
    case Kind::selector:
      return selector_text(expression);
    case Kind::percent_of:
      return to_text(expression.quantity) + " of " + expression.name;
    case Kind::text:
      return quote(expression.text);
    case Kind::negate:
      return "-" + write(*expression.operands[0], own);
    case Kind::call:
      return expression.name + "(" + write(*expression.operands[0], 0) +
             (expression.axis.empty() ? "" : " over " + expression.axis) + ")";
    default:
      if (is_within(expression))
        return write(*expression.operands[0], own) + " within " + to_text(expression.quantity) + " of " +
               write(*expression.operands[1], own + 1);
      if (has_share_of(*expression.operands[1], "band"))
        return write(*expression.operands[0], own) + " within band";
      // All operators join from the left, so a right side of the same power needs parentheses.
      return write(*expression.operands[0], own) + std::string(operator_of(expression.kind)->sign) +
             write(*expression.operands[1], own + 1);
  }
}

void collect(const Expression& expression, std::vector<const Expression*>& found) {
  if (expression.kind == Kind::name || expression.kind == Kind::selector ||
      (expression.kind == Kind::percent_of && !is_share_target(expression.name)))
    found.push_back(&expression);
  for (const ExpressionPtr& operand : expression.operands) collect(*operand, found);
}

}  // namespace

bool is_relation(const Expression& expression) { return power(expression.kind) == kRelation; }

bool is_percentile(const Expression& expression) {
  const std::string& name = expression.name;
  return expression.kind == Kind::call && name.size() > 1 && name.front() == 'p' && is_digit(name[1]);
}

bool has_percentile(const Expression& expression) {
  return is_percentile(expression) ||
         std::any_of(expression.operands.begin(), expression.operands.end(),
                     [](const ExpressionPtr& operand) { return has_percentile(*operand); });
}

bool is_within(const Expression& expression) {
  return expression.kind == Kind::equal && expression.quantity.percent;
}

bool reduces_rows(const Expression& expression) {
  return expression.kind == Kind::call && expression.name != "best" && !finds_value(expression) &&
         !expression.axis.empty() && expression.operands.size() == 1 &&
         expression.operands.front()->kind == Kind::selector;
}

bool finds_value(const Expression& expression) {
  return expression.kind == Kind::call && (expression.name == "argmax" || expression.name == "argmin");
}

FoundValue found_value(const Expression& relation) {
  if (relation.kind != Kind::equal && relation.kind != Kind::not_equal) return {};
  if (is_within(relation)) return {};
  const auto is_value = [](const Expression& side) {
    return side.kind == Kind::quantity || side.kind == Kind::text;
  };
  for (const std::size_t at : {0U, 1U}) {
    const Expression &call = *relation.operands[at], &value = *relation.operands[1 - at];
    if (finds_value(call) && is_value(value))
      return {&call, &value, value.kind == Kind::text ? value.text : to_text(value.quantity)};
  }
  return {};
}

std::string to_text(const Expression& expression) { return write(expression, 0); }

std::vector<const Expression*> names(const Expression& expression) {
  std::vector<const Expression*> found;
  collect(expression, found);
  return found;
}

std::vector<const Expression*> named_quantities(const Expression& expression) {
  if (expression.kind == Kind::name || expression.kind == Kind::selector) return {&expression};
  std::vector<const Expression*> found;
  for (const ExpressionPtr& operand : expression.operands)
    for (const Expression* named : named_quantities(*operand)) found.push_back(named);
  // Of a share alone a function makes nothing that another share could be of.
  if (expression.kind == Kind::call && !found.empty()) return {&expression};
  return found;
}

std::vector<std::string> metrics_of_share(const Expression& relation) {
  std::vector<std::string> metrics;
  const bool has_share = has_share_of(relation, "peak") || has_share_of(relation, "reference") ||
                         has_share_of(relation, "baseline");
  if (!has_share) return metrics;
  for (const Expression* named : names(relation))
    if (named->kind == Kind::name) add_once(metrics, named->name);
  if (metrics.size() > 1 || !has_share_of(relation, "reference")) return metrics;
  metrics.clear();
  for (const Expression* named : named_quantities(relation)) add_once(metrics, to_text(*named));
  return metrics;
}

}  // namespace assay::suite
