// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/descriptor.hpp"

#include <string>
#include <vector>

namespace assay::process {

// What a child process is started with.
struct Launch {
  // [0] is the program: a path, or a name to be found in `environment`'s PATH.
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=value"; all of it
  std::vector<int> cpus;                 // to bind to; empty: as the caller is bound
  std::vector<int> memory_nodes;         // to bind to; empty: as the caller is bound
  std::vector<int> descriptors;          // become 3, 4, … in the child; the caller keeps its own
  int input = -1;  // becomes standard input; the caller keeps its own; -1: that is empty
};

// A child process in a session of its own. Output and errors come through one pipe in the order in which they
// were written, no descriptor is inherited but those that were named. The child dies with the thread that started
// it; its group is killed with it.
class Process {
 public:
  // Returns once the program was executed. Throws Error "worker.start" with the step that was refused and the
  // reason.
  explicit Process(const Launch& launch);
  Process(const Process&) = delete;  // owns a process
  Process& operator=(const Process&) = delete;
  // Kills and reaps what is still there.
  ~Process();

  [[nodiscard]] int death_descriptor() const { return death_.get(); }  // readable once it has ended (pidfd)
  [[nodiscard]] int output_descriptor() const { return output_.get(); }
  void close_output() { output_.reset(); }

  // Sends a signal to the process and everything in its group. Nothing happens once it has been reaped.
  void signal(int number) const;
  // Without blocking: true once it has ended; what is left of its group is then killed and it is reaped.
  bool reap();
  // The signal that has stopped it and not yet let it go on; 0 if it runs or has ended.
  [[nodiscard]] int stopped_by() const;
  // As waitpid() tells it; valid after reap() was true.
  [[nodiscard]] int status() const { return status_; }

 private:
  int id_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  Descriptor death_, output_;
};

// "signal 11 (SIGSEGV)".
[[nodiscard]] std::string signal_text(int number);

}  // namespace assay::process
