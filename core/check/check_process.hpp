// SPDX-License-Identifier: Apache-2.0
//
// The process of one check.
#pragma once

#include "process/process.hpp"

namespace assay::check {

// Serves one check that the parent asks for over the socket, and gives the process's exit status. `launch`
// starts another process that does. Dies with its parent. Never throws.
[[nodiscard]] int run_check_process(int socket, const process::Launch& launch);

}  // namespace assay::check
