// SPDX-License-Identifier: Apache-2.0
#include "plan/constant_relation.hpp"

#include "plan/sum_of_products.hpp"

#include <algorithm>

namespace assay::plan {
namespace {

using suite::Expression;
using Kind = Expression::Kind;

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

Kind mirrored(Kind relation) {
  switch (relation) {
    case Kind::less:
      return Kind::greater;
    case Kind::less_equal:
      return Kind::greater_equal;
    case Kind::greater:
      return Kind::less;
    case Kind::greater_equal:
      return Kind::less_equal;
    default:
      return relation;
  }
}

// Of a difference of at least `least`, or of more than it, and a relation of it with 0.
Constancy of_bounded(Kind relation, double least, bool is_more) {
  const bool above = least > 0 || (least == 0 && is_more);
  if (relation == Kind::greater_equal && least >= 0) return Constancy::always_holds;
  if (relation == Kind::greater && above) return Constancy::always_holds;
  if (relation == Kind::less && least >= 0) return Constancy::never_holds;
  if (relation == Kind::less_equal && above) return Constancy::never_holds;
  return Constancy::varies;
}

}  // namespace

Constancy constancy_of(const Expression& relation, const RelationNames& names) {
  const bool of_text = std::any_of(relation.operands.begin(), relation.operands.end(),
                                   [](const auto& operand) { return operand->is_text; });
  if (of_text || suite::has_share_of(relation, "band")) return Constancy::varies;
  Expander expander(names);
  SumOfProducts difference = expander.of(*relation.operands[0]);
  difference.add(expander.of(*relation.operands[1]), -1);
  if (!difference.is_certain()) return Constancy::varies;
  if (difference.is_constant())
    return holds(relation.kind, difference.constant(), 0) ? Constancy::always_holds : Constancy::never_holds;
  const ProvedSign rest = difference.sign_of_products();
  if (is_at_least_zero(rest))
    return of_bounded(relation.kind, difference.constant(), rest == ProvedSign::positive);
  if (is_at_most_zero(rest))
    return of_bounded(mirrored(relation.kind), -difference.constant(), rest == ProvedSign::negative);
  return Constancy::varies;
}

}  // namespace assay::plan
