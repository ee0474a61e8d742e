// SPDX-License-Identifier: Apache-2.0
#include "judge/groups.hpp"

#include "judge/case_scope.hpp"
#include "judge/expectations.hpp"
#include "judge/selection.hpp"
#include "judge/units.hpp"
#include "text/lookup.hpp"

#include <algorithm>

namespace assay::judge {
namespace {

using suite::Expression;

void collect_calls(const Expression& expression, std::vector<const Expression*>& calls) {
  if (expression.kind == Expression::Kind::call && !expression.axis.empty()) calls.push_back(&expression);
  for (const suite::ExpressionPtr& operand : expression.operands) collect_calls(*operand, calls);
}

// True if the check compares members with each other: a spread, or two aggregates of one metric. Such a check cannot fail
// with a single member; a limit such as min(x) >= 5 can.
bool compares_members(const std::vector<const Expression*>& calls) {
  for (auto call = calls.begin(); call != calls.end(); ++call) {
    if ((*call)->name == "spread" || (*call)->name == "cv") return true;
    if ((*call)->operands.empty()) continue;
    const std::string of = suite::to_text(*(*call)->operands.front());
    if (std::any_of(call + 1, calls.end(), [&](const Expression* other) {
          return !other->operands.empty() && suite::to_text(*other->operands.front()) == of;
        }))
      return true;
  }
  return false;
}

std::string why_missing(const CaseResult& member) {
  return member.planned->id + " has no result (" + std::string(result::to_text(member.outcome)) + ")";
}

class GroupScope final : public Scope {
 public:
  GroupScope(const GroupResult& group, bool sums) : group_(group), sums_(sums) {}

  [[nodiscard]] Evaluated name(const std::string& name) const override {
    return Evaluated::not_judged("'" + name + "' stands outside of min, max, mean, sum, spread or cv over " +
                                 group_.axis);
  }
  [[nodiscard]] std::vector<Text> texts(const std::string&) const override { return {}; }
  [[nodiscard]] Evaluated selector(const Expression& selector) const override {
    return Evaluated::not_judged("'" + suite::to_text(selector) + "' can be used in findings only");
  }

  // A peak that all members share, or of a sum, the sum of theirs.
  [[nodiscard]] Evaluated base_of_percent(const std::string& base, const Expression* about) const override {
    if (base != "peak")
      return suite::is_share_target(base) ? Evaluated::no_reference("a group check has no " + base)
                                          : name(base);
    std::optional<Estimate> peak;
    for (const GroupMember& member : group_.members) {
      if (!member.result->measured) return Evaluated::not_judged(why_missing(*member.result));
      Evaluated own = CaseScope(*member.result, nullptr, {}).base_of_percent("peak", about);
      if (!own.ok()) return own;
      if (peak && sums_) {
        peak = add(*peak, own.estimate);
      } else if (peak && peak->value != own.estimate.value) {
        return Evaluated::no_reference("the members have different peaks");
      } else {
        peak = own.estimate;
      }
    }
    return peak ? Evaluated::of(*peak) : Evaluated::no_reference("the group has no members");
  }

  [[nodiscard]] Evaluated call(const Expression& call) const override {
    if (call.operands.empty()) return Evaluated::not_judged(call.name + "() names nothing");
    std::vector<std::vector<ValueEntry>> sets;
    std::string why, absent;
    for (const GroupMember& member : group_.members) {
      if (!member.result->measured) return Evaluated::not_judged(why_missing(*member.result));
      Evaluated own = evaluate(*call.operands.front(), CaseScope(*member.result, nullptr, {}));
      if (own.status == Evaluated::Status::absent) {
        absent = own.why;
        continue;
      }
      if (!own.ok()) return Evaluated::not_judged(member.result->planned->id + ": " + own.why);
      if (why.empty()) why = own.why;
      sets.push_back(std::move(own.members));
    }
    if (sets.empty()) return Evaluated::absent(absent);
    if (!absent.empty() && call.name == "sum")
      return Evaluated::not_judged(absent + ", so that nobody knows the sum");
    Evaluated result = aggregate_sets(call, sets);
    if (result.ok()) result.why = why;
    return result;
  }

 private:
  const GroupResult& group_;
  bool sums_;
};

result::Outcome outcome_of(const GroupResult& group, bool strict) {
  using result::Outcome;
  if (group.status == ExpectationStatus::passed || (group.status == ExpectationStatus::undecided && !strict))
    return Outcome::passed;
  if (group.left_out > 0 || group.status == ExpectationStatus::not_available) return Outcome::skipped;
  if (group.nothing_to_compare && group.expectation->skipped_alone) return Outcome::skipped;
  if (group.status == ExpectationStatus::not_judged)
    for (const Outcome all : {Outcome::skipped, Outcome::not_run})
      if (std::all_of(group.members.begin(), group.members.end(),
                      [&](const GroupMember& member) { return member.result->outcome == all; }))
        return all;
  return Outcome::failed;
}

void judge_group(GroupResult& group, const std::vector<const Expression*>& calls, bool strict) {
  const bool sums =
      std::any_of(calls.begin(), calls.end(), [](const Expression* call) { return call->name == "sum"; });
  const bool one_axis = std::all_of(calls.begin(), calls.end(),
                                    [&](const Expression* call) { return call->axis == group.axis; });
  const GroupScope scope(group, sums);
  if (group.left_out > 0) {
    group.relation =
        unjudged_relation(*group.expectation->that,
                          "--filter or --only left out " + std::to_string(group.left_out) + " of its " +
                              std::to_string(group.left_out + group.members.size()) + " members");
  } else if (one_axis) {
    group.relation = evaluate_relation(*group.expectation->that, scope);
  } else {
    group.relation = unjudged_relation(*group.expectation->that,
                                       "a group check goes over one axis; this one names several");
  }
  if (group.members.size() == 1 && compares_members(calls) && group.relation.measured.ok() &&
      group.relation.limit.ok()) {
    group.nothing_to_compare = true;
    group.relation.measured = Evaluated::not_judged("nothing to compare: " + group.axis + " " +
                                                    group.members.front().label + " is its one member");
  }
  for (GroupMember& member : group.members) {
    if (!member.result->measured || calls.front()->operands.empty()) continue;
    const Evaluated own = evaluate(*calls.front()->operands.front(), CaseScope(*member.result, nullptr, {}));
    if (!own.ok()) continue;
    member.value = own.estimate.value;
    member.unit = unit_of(*calls.front()->operands.front(), own.estimate.dimension, *member.result);
  }
  group.status = status_of(group.relation);
  const auto* const measured =
      find_in(group.members, [](const GroupMember& member) { return member.result->measured; });
  group.unit =
      unit_of(*group.expectation->that, group.relation, measured == nullptr ? nullptr : measured->result);
  group.why = why_of(group.relation, group.status == ExpectationStatus::undecided
                                         ? interval_text(*group.expectation, group.relation, group.unit)
                                         : std::string());
  group.outcome = outcome_of(group, strict);
}

using Where = std::vector<std::pair<std::string, std::string>>;

Where other_points(const std::vector<plan::AxisPoint>& axes, const std::string& axis) {
  Where where;
  for (const plan::AxisPoint& point : axes)
    if (point.name != axis) where.emplace_back(point.name, point.text);
  return where;
}

// Which cases belong together: those that differ on the axis only.
std::vector<GroupResult> form_groups(const suite::SuiteCase& written,
                                     const suite::SuiteExpectation& expectation, const std::string& axis,
                                     const std::vector<const CaseResult*>& cases) {
  std::vector<GroupResult> groups;
  for (const CaseResult* each : cases) {
    const Where where = other_points(each->planned->axes, axis);
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const GroupResult& g) { return g.where == where; });
    if (group == groups.end()) {
      GroupResult fresh;
      fresh.suite_case = written.id.value;
      fresh.expectation = &expectation;
      fresh.axis = axis;
      fresh.where = where;
      std::string points;
      for (const auto& [name, text] : where) points += (points.empty() ? "" : ",") + name + "=" + text;
      fresh.id = written.id.value + (points.empty() ? "" : "[" + points + "]") + ": " + expectation.text;
      group = groups.insert(groups.end(), std::move(fresh));
    }
    const plan::AxisPoint* point = point_of(*each, axis);
    GroupMember member;
    member.result = each;
    member.label = point ? point->text : each->planned->id;
    group->members.push_back(std::move(member));
  }
  return groups;
}

}  // namespace

std::vector<GroupResult> unmatched_expectations(const suite::Suite& suite,
                                                const std::vector<plan::Unmatched>& unmatched) {
  std::vector<GroupResult> groups;
  for (const plan::Unmatched& each : unmatched) {
    if (each.suite_case >= suite.cases.size()) continue;
    const suite::SuiteCase& written = suite.cases[each.suite_case];
    const suite::SuiteExpectation& expectation = written.expect[each.expectation];
    GroupResult group;
    group.suite_case = written.id.value;
    group.expectation = &expectation;
    std::string rows;
    for (const auto& [name, values] : expectation.where) {
      std::string list;
      for (const suite::Scalar& value : values) list += (list.empty() ? "" : " or ") + value.text;
      rows += (rows.empty() ? "" : ", ") + name.value + "=" + list;
    }
    group.id = written.id.value + ": " + expectation.text + " where " + rows;
    group.relation = unjudged_relation(*expectation.that, "no row of this run has " + rows);
    group.status = status_of(group.relation);
    group.why = why_of(group.relation);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<GroupResult> judge_groups(const suite::Suite& suite, const std::vector<CaseResult>& cases,
                                      const std::vector<plan::LeftOut>& left_out, bool strict) {
  std::vector<GroupResult> all;
  for (std::size_t c = 0; c < suite.cases.size(); ++c)
    for (std::size_t e = 0; e < suite.cases[c].expect.size(); ++e) {
      const suite::SuiteExpectation& expectation = suite.cases[c].expect[e];
      if (!expectation.that || !is_group_check(*expectation.that)) continue;
      std::vector<const CaseResult*> matching;
      for (const CaseResult& each : cases) {
        if (each.planned->suite_case == c && contains(each.planned->expectations, e))
          matching.push_back(&each);
      }
      std::vector<const Expression*> calls;
      collect_calls(*expectation.that, calls);
      for (GroupResult& group : form_groups(suite.cases[c], expectation, calls.front()->axis, matching)) {
        if (std::any_of(group.members.begin(), group.members.end(),
                        [](const GroupMember& member) { return !member.result->judged; }))
          continue;
        group.left_out =
            static_cast<std::size_t>(std::count_if(left_out.begin(), left_out.end(), [&](const auto& other) {
              return other.suite_case == c && contains(other.expectations, e) &&
                     other_points(other.axes, group.axis) == group.where;
            }));
        judge_group(group, calls, strict);
        all.push_back(std::move(group));
      }
    }
  return all;
}

}  // namespace assay::judge
