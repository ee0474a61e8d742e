// SPDX-License-Identifier: Apache-2.0
//
// The part of ProcessState that the kernel keeps: how it runs the case thread, and what it allows the process.
#include "worker/process_state.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <map>
#include <string>

namespace assay::worker {
namespace {

// By number, as in <bits/resource.h>.
constexpr std::array<const char*, RLIM_NLIMITS> kLimits = {
    "CPU",     "FSIZE", "DATA",  "STACK",      "CORE",     "RSS",  "NPROC",  "NOFILE",
    "MEMLOCK", "AS",    "LOCKS", "SIGPENDING", "MSGQUEUE", "NICE", "RTPRIO", "RTTIME"};

// What the kernel writes of the calling thread, by key. umask() for one would change it to read it, under the
// eyes of other threads.
std::map<std::string, std::string> status_of_thread() {
  std::map<std::string, std::string> values;
  std::ifstream status("/proc/thread-self/status");
  for (std::string line; std::getline(status, line);) {
    if (const std::size_t end = line.find(":\t"); end != std::string::npos)
      values[line.substr(0, end)] = line.substr(end + 2);
  }
  return values;
}

// Whether the kernel fills memory as soon as it is mapped, as mlockall(MCL_FUTURE) makes it: no other call tells.
bool locks_new_memory() {
  const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* page = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  unsigned char is_there = 0;
  const bool known = ::mincore(page, size, &is_there) == 0;
  ::munmap(page, size);
  return known && (is_there & 1) != 0;
}

// Those of alarm and setitimer, and those of timer_create where the kernel lists them. A timer that is read
// through a descriptor interrupts nobody.
bool timers_run() {
  for (const __itimer_which kind : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval value{};
    if (::getitimer(kind, &value) == 0 && (value.it_value.tv_sec != 0 || value.it_value.tv_usec != 0))
      return true;
  }
  std::ifstream timers("/proc/self/timers");
  return timers && timers.peek() != std::ifstream::traits_type::eof();
}

}  // namespace

void ProcessState::read_kernel_settings() {
  sched_param parameter{};
  ::sched_getparam(0, &parameter);
  // 0 stands for the calling thread in all of these.
  scheduling_ = {::getpriority(PRIO_PROCESS, 0), ::sched_getscheduler(0), parameter.sched_priority,
                 ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)};
  std::map<std::string, std::string> status = status_of_thread();
  umask_ = status["Umask"];
  capabilities_ = status["CapEff"];
  filters_ = status["Seccomp"] + " " + status["Seccomp_filters"];
  mitigations_ = status["Speculation_Store_Bypass"] + ", " + status["SpeculationIndirectBranch"];
  for (std::size_t limit = 0; limit < limits_.size(); ++limit)
    ::getrlimit(static_cast<__rlimit_resource>(limit), &limits_[limit]);
  user_ = ::geteuid();
  group_ = ::getegid();
  stack_t stack{};
  if (::sigaltstack(nullptr, &stack) == 0) signal_stack_ = stack.ss_sp;
  huge_pages_off_ = ::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1;
  has_timers_ = timers_run();
  ::syscall(SYS_get_mempolicy, &memory_policy_.mode, memory_policy_.nodes.data(),
            memory_policy_.nodes.size() * sizeof(unsigned long) * 8, nullptr, 0UL);
  locks_memory_ = locks_new_memory();
  constexpr int kProcess = 1;  // IOPRIO_WHO_PROCESS, which is a thread
  io_priority_ = static_cast<int>(::syscall(SYS_ioprio_get, kProcess, 0));
}

void ProcessState::describe_kernel_settings(const ProcessState& before,
                                            std::vector<std::string>& changes) const {
  if (scheduling_.nice != before.scheduling_.nice) {
    changes.push_back("the case thread's niceness is " + std::to_string(scheduling_.nice) + ", not " +
                      std::to_string(before.scheduling_.nice));
  }
  if (scheduling_.policy != before.scheduling_.policy ||
      scheduling_.priority != before.scheduling_.priority) {
    changes.emplace_back("the case thread's scheduling policy is another");
  }
  if (scheduling_.timer_slack_ns != before.scheduling_.timer_slack_ns) {
    changes.push_back("the case thread's timer slack is " + std::to_string(scheduling_.timer_slack_ns) +
                      " ns, not " + std::to_string(before.scheduling_.timer_slack_ns) + " ns");
  }
  if (umask_ != before.umask_) changes.push_back("the umask is " + umask_ + ", not " + before.umask_);
  for (std::size_t limit = 0; limit < limits_.size(); ++limit) {
    if (limits_[limit].rlim_cur != before.limits_[limit].rlim_cur ||
        limits_[limit].rlim_max != before.limits_[limit].rlim_max) {
      changes.push_back(std::string("the limit RLIMIT_") + kLimits[limit] + " is another");
    }
  }
  if (user_ != before.user_ || group_ != before.group_) changes.emplace_back("the user or group is another");
  if (signal_stack_ != before.signal_stack_) changes.emplace_back("the signal stack is another");
  if (huge_pages_off_ != before.huge_pages_off_) {
    changes.emplace_back(huge_pages_off_ ? "transparent huge pages are switched off"
                                         : "transparent huge pages are allowed");
  }
  if (has_timers_ && !before.has_timers_) changes.emplace_back("a timer is running");
  const auto add = [&](bool differs, const char* text) {
    if (differs) changes.emplace_back(text);
  };
  add(memory_policy_ != before.memory_policy_, "the case thread takes memory from other NUMA nodes");
  add(locks_memory_ && !before.locks_memory_, "memory is locked as soon as it is mapped");
  add(io_priority_ != before.io_priority_, "the case thread's priority for input and output is another");
  add(capabilities_ != before.capabilities_, "the case thread's capabilities are others");
  add(filters_ != before.filters_, "the case thread's system calls are filtered");
  add(mitigations_ != before.mitigations_, "the case thread runs with other mitigations of speculation");
}

}  // namespace assay::worker
