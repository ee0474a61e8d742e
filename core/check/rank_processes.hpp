// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/check_frames.hpp"
#include "process/process.hpp"

#include <string>

namespace assay::check {

// Has `ranks` new processes serve the request for one benchmark, each as one of its ranks, and gives the worst
// of their verdicts; a process that dies is a failure, unless the stage that it had entered may die. `launch`
// starts the process of a check. `subject` is told how far they came.
[[nodiscard]] CheckVerdict in_ranks(const Subject& subject, CheckRequest request,
                                    const std::string& benchmark, int ranks, const process::Launch& launch);

}  // namespace assay::check
