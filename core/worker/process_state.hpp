// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <signal.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::worker {

// What a plugin must leave as it found it (assay/abi/v1.h, "State"), looked at between visits on the case
// thread. Costs some tens of microseconds.
class ProcessState {
 public:
  // What it is now.
  [[nodiscard]] static ProcessState read();

  // What is different now, one phrase each: "the working directory is '/', not '/home/me'". Empty: nothing.
  [[nodiscard]] std::vector<std::string> changes_since(const ProcessState& before) const;

  // Threads and open descriptors. Pools and handles may live on, so only their growth says something.
  [[nodiscard]] std::size_t threads() const { return threads_; }
  [[nodiscard]] std::size_t descriptors() const { return descriptors_; }

 private:
  static constexpr std::size_t kSignals = 32;  // the classic ones
  struct File {
    bool open = false;
    std::uint64_t device = 0, number = 0;
    bool operator==(const File&) const = default;
  };

  std::string locale_, directory_, environment_;
  std::array<std::uintptr_t, kSignals> handlers_{};
  sigset_t mask_{};
  cpu_set_t affinity_{};
  int rounding_ = 0;
  std::array<File, 3> streams_{};  // standard input, output, errors
  bool has_children_ = false;
  std::size_t threads_ = 0, descriptors_ = 0;
};

// Keeps the state at a worker's start, and finds out after each visit whether the worker is still fit.
class ProcessGuard {
 public:
  ProcessGuard() : start_(ProcessState::read()) {}

  // What the visit left changed; empty if nothing that matters. The first visit of a benchmark on these
  // devices may start pools and open them; later ones may add only a few threads and descriptors.
  [[nodiscard]] std::vector<std::string> look(const std::string& benchmark,
                                              const std::vector<std::string>& devices);

 private:
  ProcessState start_;
  std::set<std::pair<std::string, std::vector<std::string>>> seen_;  // benchmarks and devices
  std::size_t threads_ = 0, descriptors_ = 0;                        // after the last first visit
};

}  // namespace assay::worker
