// SPDX-License-Identifier: Apache-2.0
#include "judge/dependency_closure.hpp"

#include "judge/finding_operands.hpp"
#include "judge/groups.hpp"

#include <map>
#include <vector>

namespace assay::judge {
namespace {

using Ids = std::set<std::string>;

// Results that say nothing but which case they are of: all that forming groups and rows takes.
std::vector<CaseResult> bare_results(const plan::Plan& plan) {
  std::vector<CaseResult> results(plan.cases.size());
  for (std::size_t i = 0; i < plan.cases.size(); ++i) results[i].planned = &plan.cases[i];
  return results;
}

void add_rows(const suite::SuiteFinding& finding, const suite::Suite& suite,
              const std::vector<CaseResult>& cases, std::vector<Ids>& sets) {
  std::string problem;
  const std::vector<ClaimOperand> operands = find_operands(finding, suite, cases, {}, &problem);
  Ids all;
  for (const JoinedRow& row : join_rows(operands)) {
    Ids ids;
    for (const auto& [selector, members] : row.chosen)
      for (const CaseResult* member : members) ids.insert(member->planned->id);
    all.insert(ids.begin(), ids.end());
    if (!finding.assert_confirmed) sets.push_back(std::move(ids));
  }
  // Without one of its rows it would not be confirmed.
  if (finding.assert_confirmed) sets.push_back(std::move(all));
}

}  // namespace

std::vector<std::set<std::string>> judged_together(const suite::Suite& suite, const plan::Plan& plan) {
  const std::vector<CaseResult> cases = bare_results(plan);
  std::vector<Ids> together;
  for (const GroupResult& group : judge_groups(suite, cases, plan.left_out, false)) {
    Ids members;
    for (const GroupMember& member : group.members) members.insert(member.result->planned->id);
    together.push_back(std::move(members));
  }
  for (const suite::SuiteFinding& finding : suite.findings) add_rows(finding, suite, cases, together);
  return together;
}

std::set<std::string> dependency_closure(const suite::Suite& suite, const plan::Plan& plan,
                                         const std::set<std::string>& ids) {
  const std::vector<Ids> together = judged_together(suite, plan);  // one of them needs all
  std::map<std::string, std::vector<const Ids*>> sets_of;
  for (const Ids& set : together)
    for (const std::string& id : set) sets_of[id].push_back(&set);
  std::map<std::string, std::string> reference_of;
  for (const plan::PlannedCase& planned : plan.cases) reference_of[planned.id] = planned.reference;

  Ids chosen;
  std::vector<std::string> open(ids.begin(), ids.end());
  while (!open.empty()) {
    const std::string id = std::move(open.back());
    open.pop_back();
    const auto known = reference_of.find(id);
    if (known == reference_of.end() || !chosen.insert(id).second) continue;
    // A row needs its reference; the reference stands without the rows that refer to it.
    if (!known->second.empty()) open.push_back(known->second);
    for (const Ids* set : sets_of[id]) open.insert(open.end(), set->begin(), set->end());
    sets_of[id].clear();
  }
  return chosen;
}

std::set<std::string> cases_of_finding(const suite::Suite& suite, const plan::Plan& plan,
                                       const std::string& finding) {
  const std::vector<CaseResult> cases = bare_results(plan);
  std::vector<Ids> rows;
  for (const suite::SuiteFinding& each : suite.findings)
    if (each.id.value == finding) add_rows(each, suite, cases, rows);
  Ids ids;
  for (const Ids& row : rows) ids.insert(row.begin(), row.end());
  return ids;
}

}  // namespace assay::judge
