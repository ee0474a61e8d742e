// SPDX-License-Identifier: Apache-2.0
#include "judge/evaluate.hpp"

#include "model/vocabulary.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace assay::judge {
namespace {

using Kind = suite::Expression::Kind;
using suite::Expression;

// What an expression names first outside of `% of`: what "peak" and "reference" are peaks and references of.
const Expression* first_named(const Expression& expression) {
  const std::vector<const Expression*> all = suite::named_quantities(expression);
  return all.empty() ? nullptr : all.front();
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

Estimate combined(Kind kind, const Estimate& a, const Estimate& b) {
  switch (kind) {
    case Kind::add:
      return add(a, b);
    case Kind::subtract:
      return subtract(a, b);
    case Kind::multiply:
      return multiply(a, b);
    default:
      return divide(a, b);
  }
}

std::set<std::vector<std::uint32_t>> indices_of(const std::vector<ValueEntry>& members) {
  std::set<std::vector<std::uint32_t>> all;
  for (const ValueEntry& member : members) all.insert(member.indices);
  return all;
}

bool are_two_of_one(const ValueEntry& a, const ValueEntry& b) {
  return !a.origin.empty() && a.origin == b.origin && a.ordinal != b.ordinal;
}

// Which members of two operands belong together. False if they are too many to look at.
template <class Visit>
bool for_each_pair(const std::vector<ValueEntry>& a, const std::vector<ValueEntry>& b, const Visit& visit) {
  const bool by_index = a.size() > 1 && b.size() > 1 && indices_of(a) == indices_of(b);
  if (a.size() > kMostMembers / b.size()) return false;
  for (const ValueEntry& left : a)
    for (const ValueEntry& right : b)
      if ((!by_index || left.indices == right.indices) && !are_two_of_one(left, right)) visit(left, right);
  return true;
}

Evaluated too_many(const Expression& expression) {
  return Evaluated::not_judged("'" + suite::to_text(expression) + "' has more than " +
                               std::to_string(kMostMembers) +
                               " combinations of values; compare its parts one by one");
}

// "index 1, rank 2": each part once.
std::string both(const std::string& a, const std::string& b) {
  return a.empty() || a == b ? b : b.empty() ? a : a + ", " + b;
}

Evaluated evaluate_pair(const Expression& expression, const Scope& scope, const Expression* about) {
  Evaluated a = evaluate(*expression.operands[0], scope, about);
  if (!a.ok()) return a;
  Evaluated b = evaluate(*expression.operands[1], scope, about);
  if (!b.ok()) return b;
  const bool sum = expression.kind == Kind::add || expression.kind == Kind::subtract;
  if (sum && !(a.estimate.dimension == b.estimate.dimension))
    return Evaluated::not_judged("'" + suite::to_text(expression) + "' adds " +
                                 describe(a.estimate.dimension) + " and " + describe(b.estimate.dimension));
  std::vector<ValueEntry> members;
  const bool few_enough =
      for_each_pair(a.members, b.members, [&](const ValueEntry& left, const ValueEntry& right) {
        members.push_back({combined(expression.kind, left.estimate, right.estimate),
                           left.indices.empty() ? right.indices : left.indices, both(left.where, right.where),
                           left.origin.empty() ? right.origin : left.origin,
                           left.origin.empty() ? right.ordinal : left.ordinal, left.count * right.count});
      });
  if (!few_enough) return too_many(expression);
  for (const ValueEntry& member : members)
    if (!std::isfinite(member.estimate.value))
      return Evaluated::not_judged(
          "'" + suite::to_text(expression) + "' " +
          (expression.kind == Kind::divide ? "divides by zero" : "is not a finite number"));
  Evaluated result = Evaluated::of(std::move(members));
  result.why = a.why.empty() ? b.why : a.why;
  return result;
}

Evaluated evaluate_percent(const Expression& expression, const Scope& scope, const Expression* about) {
  Evaluated base = scope.base_of_percent(expression.name, about);
  if (!base.ok()) return base;
  const std::string source = base.why;
  for (ValueEntry& member : base.members)
    member.estimate = multiply(exact(expression.quantity.value, {}), member.estimate);
  const Estimate whole = base.estimate;
  const Expression* const of = suite::is_share_target(expression.name) ? about : &expression;
  const UnitText unit = of != nullptr ? scope.unit_of(*of, whole.dimension) : base_unit(whole.dimension);
  base = Evaluated::of(std::move(base.members));
  base.why = percent_text(expression.quantity.value) + " of " + quantity_text(whole.value, unit) +
             (source.empty() ? "" : ", " + source);
  return base;
}

// `algorithm == "ring"`: equality of texts.
Relation evaluate_text_relation(const Expression& relation, const Scope& scope,
                                ComparisonOperator comparison) {
  const bool text_first = relation.operands[0]->is_text;
  const Expression& named = *relation.operands[text_first ? 1 : 0];
  const Expression& literal = *relation.operands[text_first ? 0 : 1];
  Relation result;
  result.comparison = comparison;
  result.is_text = true;
  result.limit_text = literal.text;
  if (comparison != ComparisonOperator::equal && comparison != ComparisonOperator::not_equal) {
    result.measured = Evaluated::not_judged("texts can be compared with == and != only");
    return result;
  }
  const std::vector<Text> texts =
      named.is_text ? std::vector<Text>{{named.text, {}, false}} : scope.texts(named.name);
  if (texts.empty()) {
    result.measured = Evaluated::not_judged("'" + named.name + "' was not recorded");
    return result;
  }
  result.truth = Truth::yes;
  result.measured_text = texts.front().text;
  const Text* missing = nullptr;
  for (const Text& each : texts) {
    if (each.is_missing) {
      missing = &each;
      continue;
    }
    if ((each.text == literal.text) == (comparison == ComparisonOperator::equal)) continue;
    result.truth = Truth::no;
    result.measured_text = each.text;
    result.measured.where = each.where;
    return result;
  }
  if (missing != nullptr)
    result.measured = Evaluated::not_judged("'" + named.name + "' was not recorded by " + missing->where);
  return result;
}

}  // namespace

UnitText Scope::unit_of(const Expression& /*expression*/, const Dimension& dimension) const {
  return base_unit(dimension);
}

int rank_of(Truth truth) { return truth == Truth::no ? 2 : truth == Truth::undecided ? 1 : 0; }

std::optional<std::size_t> decide(Relation& relation, const TruthOfPair& truth_of) {
  const ValueEntry *measured = nullptr, *limit = nullptr;
  std::size_t seen = 0, decided = 0;
  const bool few_enough = for_each_pair(
      relation.measured.members, relation.limit.members, [&](const ValueEntry& one, const ValueEntry& other) {
        const std::size_t pair = seen++;
        const Truth truth =
            truth_of ? truth_of(pair) : compare(one.estimate, relation.comparison, other.estimate);
        if (measured) {
          const int change = rank_of(truth) - rank_of(relation.truth);
          if (change < 0 ||
              (change == 0 &&
               violation_margin(one.estimate.value - other.estimate.value, relation.comparison) <=
                   violation_margin(measured->estimate.value - limit->estimate.value, relation.comparison)))
            return;
        }
        relation.truth = truth;
        measured = &one;
        limit = &other;
        decided = pair;
      });
  if (!few_enough || measured == nullptr) return std::nullopt;
  relation.measured.estimate = measured->estimate;
  relation.measured.where = measured->where;
  relation.limit.estimate = limit->estimate;
  relation.limit.where = limit->where;
  return decided;
}

std::vector<std::pair<Estimate, Estimate>> pairs_of(const Relation& relation) {
  std::vector<std::pair<Estimate, Estimate>> pairs;
  if (!relation.measured.ok() || !relation.limit.ok()) return pairs;
  (void)for_each_pair(relation.measured.members, relation.limit.members,
                      [&](const ValueEntry& one, const ValueEntry& other) {
                        pairs.emplace_back(one.estimate, other.estimate);
                      });
  return pairs;
}

std::optional<ComparisonOperator> comparison_of(suite::Expression::Kind kind) {
  using enum suite::Expression::Kind;
  constexpr std::array<Kind, 6> kKinds{less, less_equal, greater, greater_equal, equal, not_equal};
  const auto* const found = std::find(kKinds.begin(), kKinds.end(), kind);
  if (found == kKinds.end()) return std::nullopt;
  return static_cast<ComparisonOperator>(found - kKinds.begin());  // the order of that enum
}

Evaluated evaluate(const Expression& expression, const Scope& scope, const Expression* about) {
  switch (expression.kind) {
    case Kind::quantity:
      return Evaluated::of(exact(expression.quantity.value, expression.quantity.dimension));
    case Kind::name:
      return scope.name(expression.name);
    case Kind::selector:
      return scope.selector(expression);
    case Kind::percent_of:
      return evaluate_percent(expression, scope, about);
    case Kind::negate: {
      Evaluated inner = evaluate(*expression.operands[0], scope, about);
      for (ValueEntry& member : inner.members) member.estimate = negate(member.estimate);
      inner.estimate = negate(inner.estimate);
      return inner;
    }
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply:
    case Kind::divide:
      return evaluate_pair(expression, scope, about);
    case Kind::call:
      return scope.call(expression);
    default:
      return Evaluated::not_judged("'" + suite::to_text(expression) + "' is a relation inside an expression");
  }
}

Relation unjudged_relation(const Expression& relation, std::string why) {
  Relation result;
  result.measured = Evaluated::not_judged(std::move(why));
  const std::optional<ComparisonOperator> comparison = comparison_of(relation.kind);
  if (comparison && relation.operands.size() == 2)
    result.comparison = limit_is_first(relation) ? mirrored(*comparison) : *comparison;
  return result;
}

Relation evaluate_relation(const Expression& relation, const Scope& scope) {
  const std::optional<ComparisonOperator> comparison = comparison_of(relation.kind);
  if (!comparison || relation.operands.size() != 2)
    return unjudged_relation(relation, "'" + suite::to_text(relation) + "' is not a relation");
  if (relation.operands[0]->is_text || relation.operands[1]->is_text)
    return evaluate_text_relation(relation, scope, *comparison);

  Relation result;
  const bool limit_first = limit_is_first(relation);
  const Expression& measured = *relation.operands[limit_first ? 1 : 0];
  const Expression& limit = *relation.operands[limit_first ? 0 : 1];
  result.comparison = limit_first ? mirrored(*comparison) : *comparison;
  if (const std::vector<std::string> metrics = suite::metrics_of_share(relation); metrics.size() > 1) {
    result.measured =
        Evaluated::no_reference("its share is of one metric, and it names " + join(metrics, ", "));
    return result;
  }
  const Expression* const about = first_named(measured);
  const Expression* const about_limit = first_named(limit);
  result.measured = evaluate(measured, scope, about_limit != nullptr ? about_limit : about);
  result.limit = evaluate(limit, scope, about != nullptr ? about : about_limit);
  if (!result.measured.ok() || !result.limit.ok()) return result;
  if (!(result.measured.estimate.dimension == result.limit.estimate.dimension)) {
    result.limit = Evaluated::not_judged(describe(result.measured.estimate.dimension) + " is compared with " +
                                         describe(result.limit.estimate.dimension));
    return result;
  }
  if (!decide(result)) result.measured = too_many(relation);
  return result;
}

std::string to_text(ComparisonOperator comparison) {
  return std::string(model::kComparisons.at(static_cast<std::size_t>(comparison)));
}

}  // namespace assay::judge
