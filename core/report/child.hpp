// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace assay::report {

// A reporter's process: `program worker`, with one end of a socket as its descriptor 3, no input, and what it
// prints kept up to a limit. It leads a group of its own, so that Ctrl-C does not reach it, and dies with the
// thread that started it.
class Child {
 public:
  // `socket` stays the caller's. Throws Error "worker.start".
  Child(const std::filesystem::path& program, int socket);
  Child(const Child&) = delete;  // owns a process
  Child& operator=(const Child&) = delete;
  // Kills and reaps what is still there.
  ~Child();

  // Waits for its end at most so long, then kills it. Once only.
  void finish(std::chrono::milliseconds patience);
  // How it ended: "signal 11 (SIGSEGV)", "exit status 3"; "" before finish() or after an ordinary end.
  [[nodiscard]] const std::string& ending() const { return ending_; }
  // What it printed, clean and at most the last lines of it.
  [[nodiscard]] std::string printed() const;

 private:
  int id_ = -1;
  int output_ = -1;
  std::string ending_;
};

}  // namespace assay::report
