// SPDX-License-Identifier: Apache-2.0
#include "plan/constant_relation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>

namespace assay::plan {
namespace {

using suite::Expression;
using Kind = Expression::Kind;

constexpr int kTries = 400;
constexpr double kDecades = 40;  // on each side of 1: picoseconds and exaflops are well inside

// One value for everything that a relation names.
class Values {
 public:
  Values(const RelationNames& names, std::mt19937_64& random) : names_(names), random_(random) {}

  double of(const Expression& expression) {
    const auto part = [&](std::size_t i) { return of(*expression.operands[i]); };
    switch (expression.kind) {
      case Kind::quantity:
        return expression.quantity.value;
      case Kind::name:
        if (const Expression* from = names_.derived(expression.name)) return of(*from);
        return drawn(expression.name, names_.is_positive(expression.name));
      case Kind::percent_of:
        return expression.quantity.value * drawn(expression.name, names_.is_positive(expression.name));
      case Kind::negate:
        return -part(0);
      case Kind::add:
        return part(0) + part(1);
      case Kind::subtract:
        return part(0) - part(1);
      case Kind::multiply:
        return part(0) * part(1);
      case Kind::divide:
        return part(0) / part(1);
      default:  // functions, which say something of their own of what they go over
        return drawn(suite::to_text(expression), is_positive(expression));
    }
  }

 private:
  double drawn(const std::string& name, bool positive) {
    const auto [place, is_new] = drawn_.try_emplace(name, 0);
    if (is_new) {
      const double size = std::pow(10.0, std::uniform_real_distribution<>(-kDecades, kDecades)(random_));
      const std::uint64_t sign = positive ? 1 : random_() % 3;
      place->second = sign == 0 ? 0 : sign == 1 ? size : -size;
    }
    return place->second;
  }

  [[nodiscard]] bool is_positive(const Expression& call) const {
    const auto parts = suite::names(call);
    return !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](const Expression* part) {
      return names_.derived(part->name) == nullptr && names_.is_positive(part->name);
    });
  }

  const RelationNames& names_;
  std::mt19937_64& random_;
  std::map<std::string, double> drawn_;
};

bool holds(Kind relation, double left, double right) {
  switch (relation) {
    case Kind::less:
      return left < right;
    case Kind::less_equal:
      return left <= right;
    case Kind::greater:
      return left > right;
    case Kind::greater_equal:
      return left >= right;
    case Kind::not_equal:
      return left != right;
    default:
      return left == right;
  }
}

}  // namespace

Constancy constancy_of(const Expression& relation, const RelationNames& names) {
  const bool of_text = std::any_of(relation.operands.begin(), relation.operands.end(),
                                   [](const auto& operand) { return operand->is_text; });
  if (of_text || suite::has_share_of(relation, "band")) return Constancy::varies;
  const bool of_order = relation.kind != Kind::equal && relation.kind != Kind::not_equal;
  std::mt19937_64 random(1);  // the same suite is told the same
  bool one_holds = false, one_fails = false;
  double first_left = 0, first_right = 0;
  for (int i = 0; i < kTries; ++i) {
    Values values(names, random);
    const double left = values.of(*relation.operands[0]), right = values.of(*relation.operands[1]);
    if (std::isnan(left) || std::isnan(right)) continue;  // zero by zero
    if (!one_holds && !one_fails) {
      first_left = left;
      first_right = right;
    }
    // No two values that are drawn are equal, and those that are measured may be.
    if (!of_order && left != right && (left != first_left || right != first_right)) return Constancy::varies;
    (holds(relation.kind, left, right) ? one_holds : one_fails) = true;
    if (one_holds && one_fails) return Constancy::varies;
  }
  if (!one_holds && !one_fails) return Constancy::varies;
  return one_holds ? Constancy::always_holds : Constancy::never_holds;
}

}  // namespace assay::plan
