// SPDX-License-Identifier: Apache-2.0
//
// --extend: from the open verdicts of a run to the rounds that its cases get. docs/decisions/0037-a-look-costs-certainty.md
#pragma once

#include "plan/plan.hpp"
#include "result/journal.hpp"
#include "suite/suite.hpp"
#include "system/inventory.hpp"

#include <map>
#include <string>

namespace assay::engine {

// How many rounds each case has after the run was extended: those with an open expectation, group check or row of a finding,
// and what is judged together with them. Throws Error "usage.extend" for a run that is not finished or quick, and where no
// verdict is open that more rounds could decide.
[[nodiscard]] std::map<std::string, int> rounds_for_open(const suite::Suite& suite, const plan::Plan& plan,
                                                         const system::Inventory& inventory,
                                                         const result::Journal& journal);

}  // namespace assay::engine
