// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/descriptor.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::external {

// A program to be started: found already, in a folder that exists.
struct Launch {
  std::string program;                 // a path
  std::vector<std::string> arguments;  // [0] is its name
  std::string directory;               // "": as the caller's
  int output = -1, error = -1;         // become standard output and errors; the caller keeps its own
};

// How a program and all that it started ended.
struct End {
  std::int32_t refused_step = 0;  // above 0: it was not started, and the error number says why
  std::int32_t refused_code = 0;
  std::int32_t status = 0;     // as waitpid() tells it
  std::int32_t left = 0;       // processes that were still there when the program had ended, and were killed
  std::int32_t survivors = 0;  // 1: some cannot be killed
  std::int32_t reserved = 0;
  std::int64_t begin_ns = 0;  // the monotonic clock, before the program was started and after it had ended
  std::int64_t end_ns = 0;
};

// A program in a session of its own, with empty standard input, under a process that does nothing but watch
// it. The watcher adopts whatever the program's processes leave behind, daemons included, and kills all of it
// when the program has ended, when this object goes, or when the caller's process dies in whatever way.
class Supervisor {
 public:
  // Throws std::system_error if there are no processes or descriptors left.
  explicit Supervisor(const Launch& launch);
  Supervisor(const Supervisor&) = delete;  // owns a process
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor();

  // Readable once everything has ended; then take() does not block.
  [[nodiscard]] int descriptor() const { return report_.get(); }
  // Kills everything; the descriptor becomes readable soon after.
  void kill();
  // Waits until everything has ended. Throws std::runtime_error if the watcher itself was killed.
  [[nodiscard]] End take();

 private:
  void reap();

  int watcher_ = -1;
  Descriptor lifeline_;  // while it is open the program may live
  Descriptor report_;
};

}  // namespace assay::plugins::external
