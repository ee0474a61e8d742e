// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"
#include "plan/plan.hpp"
#include "result/journal.hpp"
#include "result/visit.hpp"

#include <vector>

namespace assay::judge {

// A case's visits in order, and the outcome that follows from them alone: the worst of its rounds' last
// attempts, with the reason of the first such round. A case without a visit was not run; one with fewer
// rounds than planned was cancelled. `visits` must outlive the result.
[[nodiscard]] CaseResult collect(const plan::PlannedCase& planned,
                                 const std::vector<const result::Visit*>& visits, const plan::Plan& plan,
                                 const result::JournalEnd& end);

// What its verifications and checks say of a case whose visits all passed: sets verified, and fails it for a
// wrong result or a check that did not pass. A wrong result leaves nothing to publish.
void apply_verification(CaseResult& result);

// Fails a case that verified nothing although its headline is a rate: it has nothing to publish, and must not
// look green for it.
void refuse_unverified(CaseResult& result);
void apply_checks(CaseResult& result);

// Makes a case that did not fail otherwise an error if some of its rounds were skipped and others not.
void refuse_skipped_in_part(CaseResult& result);

// Fails a case that was throttled, or of which nobody can know, and whose suite wants that
// (`throttle: fail`); its figures stay.
void apply_throttle(CaseResult& result);

}  // namespace assay::judge
