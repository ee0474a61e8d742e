// SPDX-License-Identifier: Apache-2.0
//
// What must be the same for a run to go on with another one's visits.
#pragma once

#include "base/json.hpp"
#include "engine/surroundings.hpp"
#include "result/journal.hpp"

#include <string>

namespace assay::engine {

// Takes over the options that the run of this journal began with, but those by which something is executed:
// they must be given again. Throws Error "journal.other-plan" if one was given that differs.
void adopt_options(Request& request, const result::JournalHeader& header);

// True for a setting of what a case executes: case.command=…, case.env.LD_PRELOAD=…. It is taken over from no journal.
[[nodiscard]] bool sets_what_is_executed(const std::string& assignment);

// Variables that say where a run is and under whose job, and nothing of how it measures.
[[nodiscard]] bool is_of_location(const std::string& name);

// Why visits of then and of now would not be measured by the same: another assay, library, manifest or driver,
// or another value of a variable that is recorded; "" if all are alike.
[[nodiscard]] std::string why_measured_otherwise(const result::JournalHeader& then,
                                                 const result::JournalHeader& now);

// Why these are two machines, or "". Of devices that have an identity it alone counts, wherever they are seen
// from; else the host's name and processor. Backends as an inventory or a result lists them.
[[nodiscard]] std::string why_other_machine(const Json& backends_then, const Json& host_then,
                                            const Json& backends_now, const Json& host_now);

}  // namespace assay::engine
