// SPDX-License-Identifier: Apache-2.0
//
// The statistics of record: from a case's samples to the values that are published.
#pragma once

#include "base/json.hpp"
#include "judge/case_result.hpp"
#include "system/inventory.hpp"

#include <optional>

namespace assay::judge {

// Fills times, metrics (`time` last), the time summary and the autocorrelation of a case whose visits all
// passed, or sets outcome and reason if its samples cannot be used.
//
// Rates: work of one iteration, summed over ranks, times iterations, over the total time of the slowest rank;
// a plugin whose ranks share one piece of work therefore declares each rank's share. Durations: median time
// of an iteration of the slowest rank, over the work of one rank (1 if none was declared), the grouped
// one where the clock's tick shows. Recorded values: the worst rank's (least if higher is better,
// else the largest), each index on its own.
//
// Numbers that a command reports, each index on its own; its own words, so never a rate of Assay's: of what is
// measured the median of a round's values; of what is observed the worst of the round's, and of all rounds'.
//
// Over rounds: three or more give the geometric mean and a between-process interval; two the geometric mean
// and the hull of both intervals; verdict intervals of fewer than three are widened by result.allowance on
// each side.
void compute_metrics(CaseResult& result, const system::Inventory& inventory, const Json& peaks);

// What a visit that did not pass measured before it ended: plain values into `unpublished`, for its diagnostics.
void measure_failed_visit(CaseResult& result);

// A quantity that is computed from what a case measured; none where it lacks a part, or no number comes out: `why` says
// which.
[[nodiscard]] std::optional<MetricResult> derived_metric(const CaseResult& result,
                                                         const suite::Derive& derive, std::string& why);

// Adds the suite's derived quantities that this case has all names for.
void compute_derived(CaseResult& result, const std::vector<suite::Derive>& derive);

}  // namespace assay::judge
