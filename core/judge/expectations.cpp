// SPDX-License-Identifier: Apache-2.0
#include "judge/expectations.hpp"

#include "judge/case_scope.hpp"
#include "judge/paired.hpp"
#include "judge/units.hpp"
#include "statistics/change.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::judge {
namespace {

// The status that decides a case's reason first.
constexpr std::array kFailing = {ExpectationStatus::failed, ExpectationStatus::no_reference,
                                 ExpectationStatus::not_judged, ExpectationStatus::undecided};
constexpr std::array<const char*, 4> kCodes = {"expectation.failed", "expectation.no-reference",
                                               "expectation.not-judged", "expectation.undecided"};

bool holds_percent(const suite::Expression& expression) {
  return (expression.kind == suite::Expression::Kind::quantity && expression.quantity.percent) ||
         std::any_of(expression.operands.begin(), expression.operands.end(),
                     [](const suite::ExpressionPtr& operand) { return holds_percent(*operand); });
}

bool holds_share(const suite::Expression& expression) {
  return expression.kind == suite::Expression::Kind::percent_of ||
         std::any_of(expression.operands.begin(), expression.operands.end(),
                     [](const suite::ExpressionPtr& operand) { return holds_share(*operand); });
}

// "spread(v over n) <= 5%": what is compared is a share. In "v <= 100% of reference" it is v.
bool is_of_shares(const suite::Expression& relation) {
  return std::any_of(relation.operands.begin(), relation.operands.end(),
                     [](const suite::ExpressionPtr& side) {
                       return suite::names(*side).empty() && !holds_share(*side) && holds_percent(*side);
                     });
}

// Numbers of a check as its text has them: shares in percent, and the limit in the unit of the value.
class Figures {
 public:
  // Within an interval the limit is expected to read like the value, and its ends are told from the limit.
  Figures(const suite::SuiteExpectation& expectation, const Relation& relation, const UnitText& unit,
          bool with_interval)
      : unit_(unit),
        measured_(relation.measured.estimate),
        is_share_(unit.base == "1" && unit.as_written.empty() && is_of_shares(*expectation.that)),
        scale_(is_share_ ? Scale{0.01, "%"} : scale_for(unit, measured_.value)) {
    const double limit = relation.limit.estimate.value;
    in_percent_ = is_share_ && (with_interval || measured_.value == limit ||
                                percent_text(measured_.value) != percent_text(limit));
    if (with_interval) {
      digits_ = std::max(digits_apart(measured_.interval.low, limit, scale_),
                         digits_apart(measured_.interval.high, limit, scale_));
    } else if (measured_.value != limit && !in_percent_) {
      digits_ = digits_apart(measured_.value, limit, scale_);
    }
  }

  [[nodiscard]] std::string text(double value) const {
    if (in_percent_) return percent_text(value);
    return quantity_text(value, is_share_ ? scale_ : scale_beside(scale_, unit_, value), digits_);
  }
  [[nodiscard]] std::string interval() const {
    return "[" + text(measured_.interval.low) + ", " + text(measured_.interval.high) + "]";
  }

 private:
  const UnitText& unit_;
  const Estimate& measured_;
  bool is_share_, in_percent_ = false;
  Scale scale_;
  int digits_ = 3;
};

// What was measured in the suite's own words, and the limit in the same unit.
std::string sentence(const suite::SuiteExpectation& expectation, const Relation& relation,
                     const UnitText& unit, bool with_interval) {
  if (!relation.told.empty()) return relation.told;
  const std::string where = relation.measured.where.empty() ? "" : " (" + relation.measured.where + ")";
  if (relation.is_text)
    return "'" + relation.measured_text + "'" + where + ", expected " + to_text(relation.comparison) + " '" +
           relation.limit_text + "'";
  const suite::Expression& that = *expectation.that;
  const bool limit_first = that.operands[0]->kind == suite::Expression::Kind::quantity;
  const Figures figures(expectation, relation, unit, with_interval);
  std::string text = suite::to_text(*that.operands[limit_first ? 1 : 0]) + " " +
                     figures.text(relation.measured.estimate.value);
  if (with_interval) text += " " + figures.interval();
  // The other relations' limits need no sign: that they were missed says on which side.
  text += where + ", limit " + (relation.comparison == ComparisonOperator::not_equal ? "≠ " : "") +
          figures.text(relation.limit.estimate.value);
  if (!relation.limit.why.empty()) text += " (" + relation.limit.why + ")";
  if (!with_interval) return text;
  for (const std::string& more : {relation.measured.why, relation.undecided_until})
    if (!more.empty()) text += "; " + more;
  return text;
}

// How many rounds more should leave the limit outside of the interval.
std::string undecided_until(const CaseResult& result, const Relation& relation) {
  const std::size_t rounds = result.last_attempts.size();
  const auto more = [](std::size_t count) { return count_of(count, "more round"); };
  if (rounds < statistics::kFewestProcessesForInterval)
    return "at least " + more(statistics::kFewestProcessesForInterval - rounds) + " should tell";
  const Estimate &measured = relation.measured.estimate, &limit = relation.limit.estimate;
  const double half =
      (measured.interval.high - measured.interval.low + limit.interval.high - limit.interval.low) / 2;
  if (!relation.further_rounds && !std::isfinite(half)) return {};
  const double level = result.level();
  const std::size_t needed =
      relation.further_rounds
          ? *relation.further_rounds
          : statistics::further_rounds(rounds, statistics::scatter_of(half, rounds, level),
                                       std::fabs(measured.value - limit.value), level);
  return needed > 0 ? more(needed) + " should tell" : "at this scatter not even 1000 rounds should tell";
}

// Too few peers, and the suite says what becomes of it then.
bool is_left_out(const ExpectationResult& each) {
  return each.relation.is_without_peers && each.expectation->skipped_alone;
}

void flag_left_out(CaseResult& result, const std::string& code, const std::string& text) {
  auto* flag = model::find_flag(result.flags, code);
  if (flag == nullptr) flag = &result.flags.emplace_back(Flag{code, {}});
  if (flag->text.find(text) == std::string::npos) flag->text += (flag->text.empty() ? "" : "; ") + text;
}

}  // namespace

bool is_group_check(const suite::Expression& expression) {
  if (expression.kind == suite::Expression::Kind::call && !expression.axis.empty()) return true;
  return std::any_of(expression.operands.begin(), expression.operands.end(),
                     [](const suite::ExpressionPtr& operand) { return is_group_check(*operand); });
}

ExpectationStatus status_of(const Relation& relation) {
  for (const Evaluated* side : {&relation.measured, &relation.limit})
    if (side->status == Evaluated::Status::not_judged) return ExpectationStatus::not_judged;
  for (const Evaluated* side : {&relation.measured, &relation.limit})
    if (side->status == Evaluated::Status::no_reference) return ExpectationStatus::no_reference;
  for (const Evaluated* side : {&relation.measured, &relation.limit})
    if (side->status == Evaluated::Status::absent) return ExpectationStatus::not_available;
  if (relation.truth == Truth::undecided) return ExpectationStatus::undecided;
  return relation.truth == Truth::yes ? ExpectationStatus::passed : ExpectationStatus::failed;
}

std::string why_of(const Relation& relation, const std::string& interval) {
  for (const Evaluated* side : {&relation.measured, &relation.limit})
    if (!side->ok()) return side->why;
  if (!relation.told.empty()) return relation.told;
  std::string why = relation.measured.why;
  if (!relation.limit.why.empty()) why += (why.empty() ? "" : "; ") + relation.limit.why;
  if (!relation.is_text && relation.truth == Truth::undecided) {
    if (!relation.undecided_until.empty()) why = relation.undecided_until + (why.empty() ? "" : "; " + why);
    why = "the limit lies inside the interval" + (interval.empty() ? "" : " " + interval) +
          (why.empty() ? "" : "; " + why);
  }
  return why;
}

std::string failure_text(const suite::SuiteExpectation& expectation, const Relation& relation,
                         const UnitText& unit) {
  return sentence(expectation, relation, unit, false);
}

std::string interval_text(const suite::SuiteExpectation& expectation, const Relation& relation,
                          const UnitText& unit) {
  return Figures(expectation, relation, unit, true).interval();
}

std::string undecided_text(const suite::SuiteExpectation& expectation, const Relation& relation,
                           const UnitText& unit) {
  return sentence(expectation, relation, unit, true);
}

void judge_expectations(CaseResult& result, const suite::SuiteCase& written, const CaseResult* reference,
                        const std::string& why_no_reference, const PeersAndBands& others, bool strict) {
  if (!result.judged) return;
  CaseScope scope(result, reference, why_no_reference);
  scope.use_bands(others.bands);
  CaseScope itself(result, reference, why_no_reference);
  itself.use_exact_values();
  for (const std::size_t index : result.planned->expectations) {
    const suite::SuiteExpectation& expectation = written.expect[index];
    if (!expectation.that || is_group_check(*expectation.that)) continue;
    ExpectationResult judged;
    judged.expectation = &expectation;
    if (result.measured && suite::has_share_of(*expectation.that, "peers")) {
      judged.relation = others.peers.compare(*expectation.that, result);
    } else if (result.measured && suite::has_share_of(*expectation.that, "band")) {
      judged.relation = others.bands.compare(*expectation.that, result);
    } else if (result.measured) {
      // A row that is compared with itself is equal to itself, however well it is known.
      const bool of_reference = suite::has_share_of(*expectation.that, "reference");
      const bool with_itself = reference == &result && of_reference;
      judged.relation = evaluate_relation(*expectation.that, with_itself ? itself : scope);
      if (reference != nullptr && !with_itself && of_reference)
        compare_round_by_round(*expectation.that, result, *reference, judged.relation);
      else if (!of_reference && faces_peak_beside_the_work(*expectation.that, result))
        compare_round_by_round(*expectation.that, result, result, judged.relation);
    } else {
      judged.relation = unjudged_relation(
          *expectation.that, "the case has no result: " + std::string(result::to_text(result.outcome)));
    }
    judged.status = status_of(judged.relation);
    if (judged.status == ExpectationStatus::undecided && !judged.relation.is_text &&
        judged.relation.told.empty())
      judged.relation.undecided_until = undecided_until(result, judged.relation);
    judged.why = why_of(judged.relation);
    judged.unit = unit_of(*expectation.that, judged.relation, result.measured ? &result : nullptr);
    if (judged.status == ExpectationStatus::not_available)
      flag_left_out(result, "not_available", expectation.text + " is left out: " + judged.why);
    else if (is_left_out(judged))
      flag_left_out(result, "no_peers", judged.why);
    result.expectations.push_back(std::move(judged));
  }
  if (!result.measured || !result.reason.code.empty()) return;
  for (std::size_t i = 0; i < kFailing.size(); ++i) {
    if (i == 3 && !strict) return;
    const auto found = std::find_if(
        result.expectations.begin(), result.expectations.end(),
        [&](const ExpectationResult& each) { return each.status == kFailing[i] && !is_left_out(each); });
    if (found == result.expectations.end()) continue;
    result.outcome = result::Outcome::failed;
    result.reason.code = kCodes[i];
    result.reason.text = i == 0   ? failure_text(*found->expectation, found->relation, found->unit)
                         : i == 3 ? undecided_text(*found->expectation, found->relation, found->unit)
                                  : found->expectation->text + ": " + found->why;
    result.reason_position = found->expectation->position;
    // The suite says what to do if it does not hold; of what could not be told, that would be a claim.
    if (i == 0) result.next = found->expectation->say;
    return;
  }
}

}  // namespace assay::judge
