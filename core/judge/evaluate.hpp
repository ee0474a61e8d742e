// SPDX-License-Identifier: Apache-2.0
//
// The value of an expression, given what its names mean.
#pragma once

#include "judge/estimate.hpp"
#include "suite/expression.hpp"

#include <optional>
#include <string>

namespace assay::judge {

// Where a name has several readings (a temperature over time, a value of each rank), the one that a relation
// must face is the worst: the largest left of `<=`, the smallest left of `>=`.
enum class Lean { low, high };

// What came of an expression: an estimate, or why there is none.
struct Evaluated {
  enum class Status { value, no_reference, not_judged } status = Status::value;
  Estimate estimate;
  std::string why;  // for people; also set with a value when it says what a limit was made of

  [[nodiscard]] bool ok() const { return status == Status::value; }
  [[nodiscard]] static Evaluated of(const Estimate& estimate) { return {Status::value, estimate, {}}; }
  [[nodiscard]] static Evaluated no_reference(std::string why) {
    return {Status::no_reference, {}, std::move(why)};
  }
  [[nodiscard]] static Evaluated not_judged(std::string why) {
    return {Status::not_judged, {}, std::move(why)};
  }
};

// What names mean: a case, a group of cases, or the operands of a claim.
class Scope {
 public:
  virtual ~Scope() = default;
  [[nodiscard]] virtual Evaluated name(const std::string& name, Lean lean) const = 0;
  [[nodiscard]] virtual std::optional<std::string> text(const std::string& name) const = 0;
  // `relative_to` is the metric on the relation's other side; "" if there is none.
  [[nodiscard]] virtual Evaluated base_of_percent(const std::string& base, const std::string& relative_to,
                                                  Lean lean) const = 0;
  [[nodiscard]] virtual Evaluated call(const suite::Expression& call, Lean lean) const = 0;
  [[nodiscard]] virtual Evaluated selector(const suite::Expression& selector) const = 0;
};

// An arithmetic expression. `relative_to` as above.
[[nodiscard]] Evaluated evaluate(const suite::Expression& expression, const Scope& scope, Lean lean,
                                 const std::string& relative_to = {});

// A relation with both sides evaluated. `measured` is the side that names something, `limit` the other; they
// are swapped (and the operator with them) when the suite wrote the limit first.
struct Relation {
  Evaluated measured;
  Evaluated limit;
  Comparison comparison = Comparison::less;
  Truth truth = Truth::undecided;  // only if both are values
  bool is_text = false;
  std::string measured_text, limit_text;
};
[[nodiscard]] Relation evaluate_relation(const suite::Expression& relation, const Scope& scope);
// One that there is nothing to evaluate with; it still says what is compared how.
[[nodiscard]] Relation unjudged_relation(const suite::Expression& relation, std::string why);

[[nodiscard]] const char* to_text(Comparison comparison);

// The comparison that a kind of expression is; none for what is no relation.
[[nodiscard]] std::optional<Comparison> comparison_of(suite::Expression::Kind kind);

}  // namespace assay::judge
