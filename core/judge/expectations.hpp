// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/bands.hpp"
#include "judge/case_result.hpp"
#include "judge/peers.hpp"

#include <string>
#include <vector>

namespace assay::judge {

// Does an expectation go over several cases (`spread(m over axis)`)? Then it is a row of its own.
[[nodiscard]] bool is_group_check(const suite::Expression& expression);

[[nodiscard]] ExpectationStatus status_of(const Relation& relation);
// Why it is not passed, or what its limit was made of; for people. May be empty. With the interval that an open one's limit
// lies in, where that stands nowhere beside it.
[[nodiscard]] std::string why_of(const Relation& relation, const std::string& interval = {});
// "[54.7 GB/s, 56.1 GB/s]", of what was measured.
[[nodiscard]] std::string interval_text(const suite::SuiteExpectation& expectation, const Relation& relation,
                                        const UnitText& unit);
// "bandwidth 41.2 GB/s, limit 60 GB/s (peak: H200 datasheet)".
[[nodiscard]] std::string failure_text(const suite::SuiteExpectation& expectation, const Relation& relation,
                                       const UnitText& unit);
// "bandwidth 55.4 GB/s [54.7 GB/s, 56.1 GB/s], limit 55 GB/s".
[[nodiscard]] std::string undecided_text(const suite::SuiteExpectation& expectation, const Relation& relation,
                                         const UnitText& unit);

// What a row is held to beside its own limits.
struct PeersAndBands {
  const Peers& peers;
  const Bands& bands;
};

// Evaluates the case's own expectations and lets them decide its outcome: one that is not passed fails the
// case; an undecided one does only if `strict`. `reference` as in CaseScope. A case under --wrap has none.
void judge_expectations(CaseResult& result, const suite::SuiteCase& written, const CaseResult* reference,
                        const std::string& why_no_reference, const PeersAndBands& others, bool strict);

}  // namespace assay::judge
