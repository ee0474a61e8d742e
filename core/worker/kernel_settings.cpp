// SPDX-License-Identifier: Apache-2.0
//
// The part of ProcessState that the kernel keeps: how it runs the case thread, and what it allows the process.
#include "worker/process_state.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <string>

namespace assay::worker {
namespace {

// By number, as in <bits/resource.h>.
constexpr std::array<const char*, RLIM_NLIMITS> kLimits = {
    "CPU",     "FSIZE", "DATA",  "STACK",      "CORE",     "RSS",  "NPROC",  "NOFILE",
    "MEMLOCK", "AS",    "LOCKS", "SIGPENDING", "MSGQUEUE", "NICE", "RTPRIO", "RTTIME"};

// umask() would change it to read it, under the eyes of other threads.
std::string umask_of_process() {
  constexpr std::string_view kKey = "Umask:\t";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kKey)) return line.substr(kKey.size());
  }
  return {};
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
  umask_ = umask_of_process();
  for (std::size_t limit = 0; limit < limits_.size(); ++limit)
    ::getrlimit(static_cast<__rlimit_resource>(limit), &limits_[limit]);
  user_ = ::geteuid();
  group_ = ::getegid();
  stack_t stack{};
  if (::sigaltstack(nullptr, &stack) == 0) signal_stack_ = stack.ss_sp;
  huge_pages_off_ = ::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1;
  has_timers_ = timers_run();
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
}

}  // namespace assay::worker
