// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/subject.hpp"

#include <functional>

namespace assay::check {

// Thrown in a rank's process when its part is done: this process ends with `status`, by the same way out as
// that of any check, because what a plugin does there counts.
struct RankEnded {
  int status;
};

// Runs `body` in `ranks` new processes, each of which is one rank of the subject (Subject::rank()), and gives
// the gravest of their verdicts; a process that dies is a failure, unless the stage that the subject entered
// may die. The calling process has no thread but this, and has not loaded the plugin.
[[nodiscard]] Verdict in_ranks(const Subject& subject, int ranks, const std::function<Verdict()>& body);

}  // namespace assay::check
