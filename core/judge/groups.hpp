// SPDX-License-Identifier: Apache-2.0
//
// Group checks: one relation over the cases along an axis, a row of its own.
#pragma once

#include "judge/case_result.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::judge {

struct GroupMember {
  const CaseResult* result = nullptr;
  std::string label;            // its point on the axis
  std::optional<double> value;  // of what is aggregated, in base units
  UnitText unit = "";
};

struct GroupResult {
  std::string id;  // "membw[kernel=triad]: spread(bandwidth over device) <= 5%"
  std::string suite_case;
  const suite::SuiteExpectation* expectation = nullptr;
  std::string axis;
  std::vector<std::pair<std::string, std::string>> where;  // the other axes' points
  std::vector<GroupMember> members;
  std::size_t left_out = 0;         // further members that --filter or --only left out
  bool nothing_to_compare = false;  // it compares members, and has one
  Relation relation;
  ExpectationStatus status = ExpectationStatus::undecided;
  std::string why;
  UnitText unit;
  result::Outcome outcome = result::Outcome::failed;
};

// A row for each expectation whose `where` no row of the plan matches: not judged, which fails it.
[[nodiscard]] std::vector<GroupResult> unmatched_expectations(const suite::Suite& suite,
                                                              const std::vector<plan::Unmatched>& unmatched);

// One row for each group check and each point of the other axes, in the suite's order. A member without a
// result leaves the group not_judged, which fails it; a group of which all members were skipped (or not run)
// is so itself, and one of which --filter left members out is skipped. One that compares members with each
// other and has one only is not_judged, or skipped if the suite says so: it could not fail. Groups with a member under --wrap are left out.
[[nodiscard]] std::vector<GroupResult> judge_groups(const suite::Suite& suite,
                                                    const std::vector<CaseResult>& cases,
                                                    const std::vector<plan::LeftOut>& left_out, bool strict);

}  // namespace assay::judge
