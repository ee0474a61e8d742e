// SPDX-License-Identifier: Apache-2.0
#include "plan/sum_of_products.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace assay::plan {
namespace {

using suite::Expression;
using Kind = Expression::Kind;

constexpr std::size_t kMostProducts = 200;
constexpr int kLargestPower = 64;
constexpr double kRounding = 1e-12;  // of the size of what was added

bool is_never_zero(ProvedSign sign) { return sign == ProvedSign::positive || sign == ProvedSign::negative; }

ProvedSign product_of(ProvedSign a, ProvedSign b) {
  if (a == ProvedSign::zero || b == ProvedSign::zero) return ProvedSign::zero;
  if (a == ProvedSign::unknown || b == ProvedSign::unknown) return ProvedSign::unknown;
  const bool same = is_at_least_zero(a) == is_at_least_zero(b);
  if (is_never_zero(a) && is_never_zero(b)) return same ? ProvedSign::positive : ProvedSign::negative;
  return same ? ProvedSign::not_negative : ProvedSign::not_positive;
}

ProvedSign sum_of(ProvedSign a, ProvedSign b) {
  if (a == ProvedSign::zero) return b;
  if (b == ProvedSign::zero) return a;
  if (is_at_least_zero(a) && is_at_least_zero(b))
    return is_never_zero(a) || is_never_zero(b) ? ProvedSign::positive : ProvedSign::not_negative;
  if (is_at_most_zero(a) && is_at_most_zero(b))
    return is_never_zero(a) || is_never_zero(b) ? ProvedSign::negative : ProvedSign::not_positive;
  return ProvedSign::unknown;
}

ProvedSign sign_of_number(double value) {
  return value > 0 ? ProvedSign::positive : value < 0 ? ProvedSign::negative : ProvedSign::zero;
}

}  // namespace

bool is_at_least_zero(ProvedSign sign) {
  return sign == ProvedSign::positive || sign == ProvedSign::not_negative || sign == ProvedSign::zero;
}

bool is_at_most_zero(ProvedSign sign) {
  return sign == ProvedSign::negative || sign == ProvedSign::not_positive || sign == ProvedSign::zero;
}

void SumOfProducts::add_term(const Powers& powers, const Coefficient& coefficient, ProvedSign sign) {
  Product& term = terms_[powers];
  term.coefficient.value += coefficient.value;
  term.coefficient.size += coefficient.size;
  term.sign = sign;
}

void SumOfProducts::add(const SumOfProducts& other, double factor) {
  for (const auto& [powers, term] : other.terms_)
    add_term(powers, {factor * term.coefficient.value, std::fabs(factor) * term.coefficient.size}, term.sign);
}

bool SumOfProducts::multiply(const SumOfProducts& other) {
  if (terms_.size() * other.terms_.size() > kMostProducts) return false;
  SumOfProducts result;
  for (const auto& [powers, term] : terms_)
    for (const auto& [others, factor] : other.terms_) {
      Powers both = powers;
      ProvedSign sign = product_of(term.sign, factor.sign);
      for (const auto& [name, power] : others) {
        int& found = both[name];
        found += power;
        if (std::abs(found) > kLargestPower) return false;
        if (found == 0) both.erase(name);
      }
      // A square is not below zero, whatever it is of.
      const bool square = std::all_of(
          both.begin(), both.end(), [](const auto& each) { return each.second > 0 && each.second % 2 == 0; });
      if (sign == ProvedSign::unknown && square) sign = ProvedSign::not_negative;
      result.add_term(both,
                      {term.coefficient.value * factor.coefficient.value,
                       term.coefficient.size * factor.coefficient.size},
                      both.empty() ? ProvedSign::positive : sign);
    }
  *this = std::move(result);
  return true;
}

bool SumOfProducts::divide(const SumOfProducts& other) {
  if (other.terms_.size() != 1) return false;
  const auto& [powers, term] = *other.terms_.begin();
  if (!is_never_zero(term.sign) || term.coefficient.value == 0) return false;
  SumOfProducts inverse;
  Powers below;
  for (const auto& [name, power] : powers) below[name] = -power;
  const double value = 1 / term.coefficient.value;
  inverse.add_term(below, {value, std::fabs(value)}, term.sign);
  return multiply(inverse);
}

bool SumOfProducts::is_certain() const {
  return std::all_of(terms_.begin(), terms_.end(), [](const auto& each) {
    const Coefficient& coefficient = each.second.coefficient;
    return std::isfinite(coefficient.size) &&
           (coefficient.value == 0 || std::fabs(coefficient.value) > kRounding * coefficient.size);
  });
}

bool SumOfProducts::is_constant() const {
  return std::all_of(terms_.begin(), terms_.end(), [](const auto& each) {
    return each.first.empty() || each.second.coefficient.value == 0;
  });
}

double SumOfProducts::constant() const {
  const auto found = terms_.find({});
  return found == terms_.end() ? 0 : found->second.coefficient.value;
}

ProvedSign SumOfProducts::sign_of(bool with_constant) const {
  ProvedSign sign = ProvedSign::zero;
  for (const auto& [powers, term] : terms_)
    if (with_constant || !powers.empty())
      sign = sum_of(sign, product_of(sign_of_number(term.coefficient.value), term.sign));
  return sign;
}

ProvedSign SumOfProducts::sign_of_products() const { return sign_of(false); }

ProvedSign SumOfProducts::sign() const { return is_certain() ? sign_of(true) : ProvedSign::unknown; }

SumOfProducts Expander::of(const Expression& expression) {
  switch (expression.kind) {
    case Kind::quantity:
      return SumOfProducts(expression.quantity.value);
    case Kind::name:
      return name(expression.name);
    case Kind::percent_of:
      return share(expression);
    case Kind::negate: {
      SumOfProducts result;
      result.add(of(*expression.operands[0]), -1);
      return result;
    }
    case Kind::add:
    case Kind::subtract: {
      SumOfProducts result = of(*expression.operands[0]);
      result.add(of(*expression.operands[1]), expression.kind == Kind::add ? 1 : -1);
      return result;
    }
    case Kind::multiply:
      return product(expression);
    case Kind::divide:
      return quotient(expression);
    case Kind::call:
      return call(expression);
    default:
      return {fresh(), ProvedSign::unknown};
  }
}

SumOfProducts Expander::name(const std::string& name) {
  if (const Expression* from = names_.derived(name)) {
    const Derived& found = derived(name, *from);
    return found.is_one_number ? found.sum : SumOfProducts(fresh(), found.sum.sign());
  }
  return {names_.is_one_number(name) ? name : fresh(),
          names_.is_positive(name) ? ProvedSign::positive : ProvedSign::unknown};
}

SumOfProducts Expander::share(const Expression& share) {
  SumOfProducts result;
  result.add(
      suite::is_share_target(share.name) ? SumOfProducts(fresh(), ProvedSign::unknown) : name(share.name),
      share.quantity.value);
  return result;
}

SumOfProducts Expander::call(const Expression& call) {
  // How far values lie apart may be nothing; what else functions make lies where their values do.
  const bool apart = call.name == "spread" || call.name == "cv";
  return whole(call, apart                   ? ProvedSign::not_negative
                     : call.operands.empty() ? ProvedSign::unknown
                                             : of(*call.operands.front()).sign());
}

SumOfProducts Expander::product(const Expression& expression) {
  SumOfProducts left = of(*expression.operands[0]);
  const SumOfProducts right = of(*expression.operands[1]);
  return left.multiply(right) ? left : whole(expression, product_of(left.sign(), right.sign()));
}

SumOfProducts Expander::quotient(const Expression& expression) {
  SumOfProducts left = of(*expression.operands[0]);
  const SumOfProducts right = of(*expression.operands[1]);
  if (left.divide(right)) return left;
  return whole(expression,
               is_never_zero(right.sign()) ? product_of(left.sign(), right.sign()) : ProvedSign::unknown);
}

SumOfProducts Expander::whole(const Expression& expression, ProvedSign sign) {
  return {is_one_number(expression) ? suite::to_text(expression) : fresh(), sign};
}

bool Expander::is_one_number(const Expression& expression) {
  if (expression.kind == Kind::selector) return false;
  if (expression.kind == Kind::percent_of && suite::is_share_target(expression.name)) return false;
  if (expression.kind == Kind::name || expression.kind == Kind::percent_of) {
    const Expression* from = names_.derived(expression.name);
    return from ? derived(expression.name, *from).is_one_number : names_.is_one_number(expression.name);
  }
  return std::all_of(expression.operands.begin(), expression.operands.end(),
                     [&](const suite::ExpressionPtr& operand) { return is_one_number(*operand); });
}

const Expander::Derived& Expander::derived(const std::string& name, const Expression& from) {
  const auto found = derived_.find(name);
  if (found != derived_.end()) return found->second;
  Derived one{of(from), is_one_number(from)};
  return derived_.emplace(name, std::move(one)).first->second;
}

}  // namespace assay::plan
