// SPDX-License-Identifier: Apache-2.0
//
// Fills the parts of the result document (model/document.hpp, docs/reference/result.md).
#pragma once

#include "judge/case_result.hpp"
#include "judge/findings.hpp"
#include "judge/groups.hpp"
#include "judge/guards.hpp"
#include "judge/run_verdict.hpp"
#include "model/document.hpp"
#include "result/journal.hpp"
#include "system/inventory.hpp"

#include <string>
#include <vector>

namespace assay::judge {

[[nodiscard]] model::Case case_of(const CaseResult& result, const std::string& suite_case,
                                  const std::string& reproduce);
// The spans of the first round that has any, from the earliest on; nothing if there are none.
[[nodiscard]] std::optional<model::Timeline> timeline_of(const CaseResult& result);
// What workers printed and logged; empty for a case that passed. The end of every rank's is kept.
[[nodiscard]] std::string log_of(const CaseResult& result);
[[nodiscard]] model::Group group_of(const GroupResult& group);
[[nodiscard]] model::Finding finding_of(const FindingResult& finding);

// Without the resolved suite: the tool, the host, what was loaded.
[[nodiscard]] model::Run run_of(const suite::Suite& suite, const plan::Plan& plan,
                                const system::Inventory& inventory, const result::JournalHeader& header,
                                const std::vector<result::Visit>& visits, const result::JournalEnd& end,
                                bool strict);

// "2026-11-21T08:30:12Z", of unix time in seconds; "" for 0.
[[nodiscard]] std::string utc_time(double unix_s);

}  // namespace assay::judge
