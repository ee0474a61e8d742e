// SPDX-License-Identifier: Apache-2.0
//
// The child process: holds one plugin and serves what the controller asks for, until it says exit.
#pragma once

#include "measure/visit_settings.hpp"
#include "wire/channel.hpp"

#include <unistd.h>

#include <functional>
#include <string>

namespace assay::worker {

struct WorkerOptions {
  int socket = wire::kWorkerDescriptor;    // connected to the controller; owned from now on
  int segment = wire::kSegmentDescriptor;  // of the rank set; owned from now on; need not be open in a worker
                                           // that takes no measurements
  int input = STDIN_FILENO;                // of a reporter's worker: the document, as wire::SharedText
  std::string version;                     // of the host, as plugins see it
  // Ends the process at once, without cleaning up: the controller is gone and the plugin may be anywhere.
  // Called from the control thread; must not return.
  std::function<void(int status)> leave;
  measure::GuardSet guards;  // all of them, but in a guard's own test
};

// The caller's thread becomes the case thread, the only one that enters the plugin; a control thread of its
// own reads frames. Returns the process's exit status: 0 after "exit", 1 if the plugin could not be loaded.
// Ignores SIGINT (only the controller sees it) and asks the kernel to be killed with its parent. Never
// throws.
[[nodiscard]] int run_worker(const WorkerOptions& options);

}  // namespace assay::worker
