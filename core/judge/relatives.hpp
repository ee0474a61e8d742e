// SPDX-License-Identifier: Apache-2.0
//
// Cases that cannot be judged without each other.
#pragma once

#include "plan/plan.hpp"
#include "suite/suite.hpp"

#include <set>
#include <string>

namespace assay::judge {

// The cases with these ids, and for each of them, and of those in turn: the other members of the group checks
// that it belongs to, the row that it refers to, and the other operands of the rows of findings that it is
// in. A plan of the result has every group check and every row of a finding whole or not at all. Ids that are
// not in the plan are left out.
[[nodiscard]] std::set<std::string> with_relatives(const suite::Suite& suite, const plan::Plan& plan,
                                                   const std::set<std::string>& ids);

// The ids of the cases that a finding compares.
[[nodiscard]] std::set<std::string> cases_of_finding(const suite::Suite& suite, const plan::Plan& plan,
                                                     const std::string& finding);

}  // namespace assay::judge
