// SPDX-License-Identifier: Apache-2.0
//
// One visit that has ended, as a line for people who watch a run.
#pragma once

#include "plan/plan.hpp"
#include "result/visit.hpp"
#include "run/run.hpp"

#include <string>

namespace assay::cli {

// The headline of this one visit, "41.2 GB/s" or "19.4 ms", by the samples alone: the judge's number of all rounds may leave out
// what does not grow with them. "" for a visit that did not pass, or whose samples give none.
[[nodiscard]] std::string value_of_visit(const plan::PlannedCase& planned, const result::Visit& visit);

// "3/20  membw[kernel=read]  41.2 GB/s  40 s left", or how the visit ended otherwise and how long it took. Where `width` is above 0
// the line has at most this many columns, for which the id is shortened, and the time that is left stands elsewhere.
[[nodiscard]] std::string visit_line(const run::RunProgress& progress, int width);

}  // namespace assay::cli
