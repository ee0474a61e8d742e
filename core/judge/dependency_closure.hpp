// SPDX-License-Identifier: Apache-2.0
//
// Cases that cannot be judged without each other.
#pragma once

#include "plan/plan.hpp"
#include "suite/suite.hpp"

#include <set>
#include <string>
#include <vector>

namespace assay::judge {

// The transitive closure of `ids` under three relations: member of the same group check, reference row, and operand of the
// same row of a finding. A plan of the result therefore has every group check and every row of a finding whole or not at
// all. Ids that are not in the plan are left out.
[[nodiscard]] std::set<std::string> dependency_closure(const suite::Suite& suite, const plan::Plan& plan,
                                                       const std::set<std::string>& ids);

// The members of each group check, and the operands of each row of a finding.
[[nodiscard]] std::vector<std::set<std::string>> judged_together(const suite::Suite& suite,
                                                                 const plan::Plan& plan);

// The ids of the cases that a finding compares.
[[nodiscard]] std::set<std::string> cases_of_finding(const suite::Suite& suite, const plan::Plan& plan,
                                                     const std::string& finding);

}  // namespace assay::judge
