// SPDX-License-Identifier: Apache-2.0
//
// The run's verdict: outcome, exit code, and the reasons in the order in which a person should read them.
#pragma once

#include "judge/case_result.hpp"
#include "judge/findings.hpp"
#include "judge/groups.hpp"
#include "model/document.hpp"
#include "result/journal.hpp"

#include <string>
#include <vector>

namespace assay::judge {

using model::Verdict;
using model::VerdictReason;

[[nodiscard]] Verdict make_verdict(const plan::Plan& plan, const std::vector<CaseResult>& cases,
                                   const std::vector<GroupResult>& groups,
                                   const std::vector<FindingResult>& findings, const result::JournalEnd& end,
                                   const std::string& suite_name, bool strict);

}  // namespace assay::judge
