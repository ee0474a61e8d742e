// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worker/floating_point.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
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

  [[nodiscard]] const FloatingPoint& floating_point() const { return floating_point_; }

  // Threads and open descriptors. Pools and handles may live on, so only their growth says something.
  [[nodiscard]] std::size_t threads() const { return threads_; }
  [[nodiscard]] std::size_t descriptors() const { return descriptors_; }

 private:
  static constexpr std::size_t kSignals = NSIG;
  struct FileIdentity {
    bool open = false;
    std::uint64_t device = 0, number = 0;
    bool operator==(const FileIdentity&) const = default;
  };

  // How the kernel runs the case thread.
  struct Scheduling {
    int nice = 0, policy = 0, priority = 0;
    long timer_slack_ns = 0;
    bool operator==(const Scheduling&) const = default;
  };

  // How the kernel takes memory for the case thread: a policy and its nodes.
  struct MemoryPolicy {
    int mode = 0;
    std::array<unsigned long, 16> nodes{};  // as many as a kernel may have
    bool operator==(const MemoryPolicy&) const = default;
  };

  void read_kernel_settings();
  void describe_kernel_settings(const ProcessState& before, std::vector<std::string>& changes) const;

  std::string locale_, directory_, environment_;
  bool own_locale_ = false;  // of the case thread
  std::array<std::uintptr_t, kSignals> handlers_{};
  sigset_t mask_{};
  cpu_set_t affinity_{};
  FloatingPoint floating_point_;
  Scheduling scheduling_;
  std::string umask_;  // as the kernel writes it: "0022"
  std::array<rlimit, RLIM_NLIMITS> limits_{};
  uid_t user_ = 0;
  gid_t group_ = 0;
  void* signal_stack_ = nullptr;
  bool huge_pages_off_ = false;
  bool has_timers_ = false;
  MemoryPolicy memory_policy_;
  bool locks_memory_ = false;  // what is mapped from now on
  int io_priority_ = 0;
  std::string capabilities_, filters_, mitigations_;  // as the kernel writes them
  std::terminate_handler terminate_ = nullptr;
  std::new_handler no_memory_ = nullptr;
  std::array<FileIdentity, 3> streams_{};  // standard input, output, errors
  bool has_children_ = false;
  std::size_t threads_ = 0, descriptors_ = 0;
};

// Keeps the state at a worker's start, and finds out after each visit whether the worker is still fit.
class ProcessGuard {
 public:
  ProcessGuard() : start_(ProcessState::read()) {}

  // A phrase each; both are empty if the worker is still fit.
  struct VisitLeftovers {
    std::vector<std::string> changes;  // what the next visit, or this one, was measured under
    std::vector<std::string> grown;    // what is only more than before
  };

  // What the visit left. The first visit of a benchmark on these devices may start pools and open them; later
  // ones may add only a few threads and descriptors. Waits half a second if a thread never rests.
  [[nodiscard]] VisitLeftovers look(const std::string& benchmark, const std::vector<std::string>& devices);

 private:
  ProcessState start_;
  std::set<std::pair<std::string, std::vector<std::string>>> seen_;  // benchmarks and devices
  std::size_t threads_ = 0, descriptors_ = 0;                        // after the last first visit
};

}  // namespace assay::worker
