// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "process/process.hpp"
#include "report/report.hpp"

#include <chrono>
#include <string>

namespace assay::report {

// A reporter's process: `program worker`, with one end of a socket as its descriptor 3, and what it prints
// kept up to a limit in a file of memory, so that nobody has to read while it prints. It leads a group of its
// own, so that Ctrl-C does not reach it, and dies with the thread that started it.
class Child {
 public:
  // `socket` stays the caller's. Throws Error "worker.start".
  Child(const Start& start, int socket);

  // Waits for its end at most so long, then kills it.
  void finish(std::chrono::milliseconds patience);
  // How it ended: "signal 11 (SIGSEGV)", "exit status 3"; "" before finish(), after an ordinary end, or if it
  // had to be killed.
  [[nodiscard]] const std::string& ending() const { return ending_; }
  // What it printed, clean and at most the last lines of it.
  [[nodiscard]] std::string printed() const;

 private:
  process::Descriptor output_;
  process::Process process_;
  std::string ending_;
};

}  // namespace assay::report
