// SPDX-License-Identifier: Apache-2.0
//
// The values of an expression, given what its names mean.
#pragma once

#include "judge/estimate.hpp"
#include "suite/expression.hpp"
#include "text/quantity_text.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::judge {

// One of the values that a name stands for: an entry of an array, a reading, what a rank or a round gave.
struct ValueEntry {
  Estimate estimate;
  std::vector<std::uint32_t> indices;
  std::string where;  // "index 2 in round 1"; empty if there is nothing to tell it from
  // Which value of which metric it is, where a row is compared with itself: such values go with themselves
  // alone.
  std::string origin = {};
  std::size_t ordinal = 0;
  std::size_t count = 1;  // how often it was seen
};

// What came of an expression: every value that it stands for, or why there is none.
struct Evaluated {
  enum class Status { value, no_reference, not_judged, absent } status = Status::value;
  Estimate estimate;                // of a relation's side the one that decided it, else the first member's
  std::string where;                // which member that is
  std::vector<ValueEntry> members;  // at least one if it has a value
  std::string why;                  // for people; also set with a value when it says what a limit was made of

  [[nodiscard]] bool ok() const { return status == Status::value; }
  [[nodiscard]] static Evaluated of(const Estimate& estimate) {
    return of(std::vector<ValueEntry>{{estimate, {}, {}}});
  }
  // Of at least one.
  [[nodiscard]] static Evaluated of(std::vector<ValueEntry> members) {
    Evaluated result;
    result.estimate = members.front().estimate;
    result.members = std::move(members);
    return result;
  }
  [[nodiscard]] static Evaluated no_reference(std::string why) {
    return {Status::no_reference, {}, {}, {}, std::move(why)};
  }
  // The devices have no such thing, and say so: there is nothing to judge.
  [[nodiscard]] static Evaluated absent(std::string why) {
    return {Status::absent, {}, {}, {}, std::move(why)};
  }
  [[nodiscard]] static Evaluated not_judged(std::string why) {
    return {Status::not_judged, {}, {}, {}, std::move(why)};
  }
};

// A text that a rank gave, or that it did not give and others did.
struct Text {
  std::string text;
  std::string where;  // "rank 3"; empty if all ranks gave the same
  bool is_missing = false;
};

// What names mean: a case, a group of cases, or the operands of a claim.
class Scope {
 public:
  virtual ~Scope() = default;
  [[nodiscard]] virtual Evaluated name(const std::string& name) const = 0;
  // Every text that the name stands for; none if it is not a text here.
  [[nodiscard]] virtual std::vector<Text> texts(const std::string& name) const = 0;
  // `about` is what the share is of: what the relation's other side names, a function of it included, p99(time). Null if there is none.
  [[nodiscard]] virtual Evaluated base_of_percent(const std::string& base,
                                                  const suite::Expression* about) const = 0;
  [[nodiscard]] virtual Evaluated call(const suite::Expression& call) const = 0;
  [[nodiscard]] virtual Evaluated selector(const suite::Expression& selector) const = 0;
  // In which a sentence shows what the expression is worth.
  [[nodiscard]] virtual UnitText unit_of(const suite::Expression& expression,
                                         const Dimension& dimension) const;
};

// An arithmetic expression. `about` as above. Operands with the same indices are combined index by
// index, others each with each; more than kMostMembers combinations are not judged.
inline constexpr std::size_t kMostMembers = 1000000;
[[nodiscard]] Evaluated evaluate(const suite::Expression& expression, const Scope& scope,
                                 const suite::Expression* about = nullptr);

// A relation with both sides evaluated. `measured` is the side that names something, `limit` the other; they
// are swapped (and the operator with them) when the suite wrote the limit first. It holds if it holds for
// every pair of members; the estimates of both sides are those of the pair that decided: one for which it
// does not hold, else one that is undecided, and of these the one farthest to the wrong side.
struct Relation {
  Evaluated measured;
  Evaluated limit;
  ComparisonOperator comparison = ComparisonOperator::less;
  Truth truth = Truth::undecided;  // only if both are values
  bool is_text = false;
  std::string measured_text, limit_text;
  std::optional<std::size_t>
      further_rounds;           // of a ratio round by round, which decides by fewer; 0: over 1000
  std::string undecided_until;  // "4 more rounds should decide it", where that can be told
  // The whole reason why it does not hold, or is undecided, where a number and a limit do not tell it.
  std::string told;
  bool is_without_peers = false;
};
[[nodiscard]] Relation evaluate_relation(const suite::Expression& relation, const Scope& scope);
// What a relation compares with what: its pairs of members, in their order.
[[nodiscard]] std::vector<std::pair<Estimate, Estimate>> pairs_of(const Relation& relation);
// Finds the pair that decides, and gives its number; each is judged by its intervals, or by what `truth_of` says of
// the pair of this number. None if they are too many.
using TruthOfPair = std::function<Truth(std::size_t pair)>;
std::optional<std::size_t> decide(Relation& relation, const TruthOfPair& truth_of = {});
// One that there is nothing to evaluate with; it still says what is compared how.
[[nodiscard]] Relation unjudged_relation(const suite::Expression& relation, std::string why);

// The higher, the worse for the relation.
[[nodiscard]] int rank_of(Truth truth);

[[nodiscard]] std::string to_text(ComparisonOperator comparison);

// The comparison that a kind of expression is; none for what is not a relation.
[[nodiscard]] std::optional<ComparisonOperator> comparison_of(suite::Expression::Kind kind);

}  // namespace assay::judge
