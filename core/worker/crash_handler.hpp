// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace assay::worker {

// From now on, a signal that ends this process (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGTRAP, SIGABRT,
// and SIGTERM, which the controller sends to a worker that hangs) first writes which signal it was and a
// backtrace of modules and offsets: into `room`, which must stay for the process's life and is left
// NUL-terminated, or, if that is empty, to standard error as one line. Then it takes its usual course.
// Handlers that are there already, such as a sanitizer's, stay.
//
// The handler runs on a stack of its own, so that an overflow of the case thread's stack is told, too; on a
// thread of the plugin's own an overflow is not. A handler that gets stuck (the library's lock may be held)
// is ended after a second. Call on the case thread, once.
void install_crash_handler(std::span<char> room);

}  // namespace assay::worker
