// SPDX-License-Identifier: Apache-2.0
#include "judge/document.hpp"

#include "judge/finding_operands.hpp"

#include <set>
#include <string>
#include <vector>

namespace assay::judge {
namespace {

// An answer about several changes at once is said to be one.
std::string of_several_changes(const FindingResult& result) {
  std::set<std::string> differ;
  for (const FindingRow& row : result.rows)
    if (row.verdict != FindingVerdict::not_comparable && row.differ.size() > 1)
      differ.insert(row.differ.begin(), row.differ.end());
  if (differ.empty()) return {};
  return "The rows that are compared differ in " +
         few_names(std::vector<std::string>(differ.begin(), differ.end())) +
         ". The answer is about all of these together and about none of them alone.";
}

}  // namespace

model::Group group_of(const GroupResult& group) {
  model::Group out;
  out.id = group.id;
  out.case_name = group.suite_case;
  out.text = group.expectation->text;
  out.status = group.status;
  out.outcome = group.outcome;
  out.where = group.where;
  if (group.relation.measured.ok() && group.relation.limit.ok()) {
    out.value = group.relation.measured.estimate.value;
    out.limit = group.relation.limit.estimate.value;
  }
  out.unit = group.unit;
  out.op = to_text(group.relation.comparison);
  out.over = group.axis;
  out.say = group.expectation->say;
  out.why = group.why;
  for (const GroupMember& member : group.members)
    out.members.push_back({member.result->planned->id, member.label, member.value, member.unit});
  out.position = group.expectation->position;
  return out;
}

model::Finding finding_of(const FindingResult& result) {
  const auto operand = [](const FindingOperand& each) {
    FindingOperand out = each;
    if (!each.value) out.unit = "";
    return out;
  };
  model::Finding out;
  out.id = result.finding->id.value;
  out.question = result.finding->question.value;
  out.claim = result.finding->claim_text;
  out.verdict = result.verdict;
  out.theta = result.finding->over;
  out.decided_by = result.finding->decided_by;
  out.asks = result.limit;
  out.asserted = result.finding->assert_confirmed;
  out.why = result.why;
  if (result.left_out > 0) out.left_out = result.left_out;
  for (const FindingRow& row : result.rows) {
    model::FindingRow& one = out.rows.emplace_back();
    one.label = row.label;
    one.axes = row.axes;
    one.verdict = row.verdict;
    one.effect = row.effect;
    if (row.measured) one.measured.emplace(model::Measured{*row.measured});
    if (row.interval) {
      one.measured->bounds = *row.interval;
      // The effect's own interval: of what is measured it is a multiple.
      if (row.effect) {
        const double quantity = *row.measured / (*row.effect + 1);
        one.bounds = {row.interval->low / quantity - 1, row.interval->high / quantity - 1};
      }
    }
    one.n = row.rounds;
    if (row.more_rounds > 0) one.more_rounds = row.more_rounds;
    one.left = operand(row.left);
    one.right = operand(row.right);
    one.why = row.why;
    one.best = row.best;
    one.tied = row.tied;
    if (row.decides) one.decides = true;
  }
  if (result.text) {
    out.say = result.text->say;
    out.act = result.text->act;
    out.because = result.text->because;
  }
  out.background = result.finding->background;
  if (const auto& expected = result.finding->expected)
    out.expected.emplace(model::Expected{expected->value.text, expected->source});
  for (const auto& note : result.finding->notes) out.notes.push_back(note.value);
  if (std::string note = of_several_changes(result); !note.empty()) out.notes.push_back(std::move(note));
  out.position = result.finding->position;
  return out;
}

}  // namespace assay::judge
