// SPDX-License-Identifier: Apache-2.0
//
// The process of one check.
#pragma once

namespace assay::check {

// Serves one check that the parent asks for over the socket, and gives the process's exit status. Dies with
// its parent. Never throws.
[[nodiscard]] int run_check_process(int socket);

}  // namespace assay::check
