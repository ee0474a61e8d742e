// SPDX-License-Identifier: Apache-2.0
//
// Writes the parts of the result document (docs/reference/result.md). Key order is part of the format;
// numbers that are not finite become null.
#pragma once

#include "base/json.hpp"
#include "judge/case_result.hpp"
#include "judge/findings.hpp"
#include "judge/groups.hpp"
#include "judge/guards.hpp"
#include "judge/verdict.hpp"
#include "result/journal.hpp"
#include "system/inventory.hpp"

#include <string>
#include <vector>

namespace assay::judge {

// A finite number, or null.
[[nodiscard]] Json number(double value);
// {"unit", "scale"} of the unit that the suite wrote; null if it wrote none.
[[nodiscard]] Json written_json(const UnitText& unit);
// {"file", "line", "column"}, or null if unknown.
[[nodiscard]] Json position_json(const Position& position);

[[nodiscard]] Json verdict_json(const Verdict& verdict);
[[nodiscard]] Json case_json(const CaseResult& result, const std::string& suite_case,
                             const std::string& reproduce);
// The spans of the first round that has any, from the earliest on; null if there are none.
[[nodiscard]] Json timeline_json(const CaseResult& result);
// What workers printed and logged; empty for a case that passed. The end of every rank's is kept.
[[nodiscard]] std::string log_of(const CaseResult& result);
[[nodiscard]] Json group_json(const GroupResult& group);
[[nodiscard]] Json finding_json(const FindingResult& finding);
[[nodiscard]] Json guard_json(const Guard& guard);

// "run" without its last key, "resolved_suite": the tool, the host, what was loaded.
[[nodiscard]] Json run_json(const suite::Suite& suite, const plan::Plan& plan,
                            const system::Inventory& inventory, const result::JournalHeader& header,
                            const std::vector<result::Visit>& visits, const result::JournalEnd& end,
                            bool strict);

// "2026-11-21T08:30:12Z", of unix time in seconds; null for 0.
[[nodiscard]] Json utc_time(double unix_s);

}  // namespace assay::judge
