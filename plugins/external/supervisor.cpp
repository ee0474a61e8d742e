// SPDX-License-Identifier: Apache-2.0
#include "external/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

extern char** environ;

namespace assay::plugins::external {
namespace {

// The watcher's descriptors after 0, 1, 2.
constexpr int kLifeline = 3, kReport = 4, kFirstUnused = 5;
// The steps of a start that can be refused.
constexpr std::int32_t kFork = 1, kDirectory = 2, kExecute = 3;
constexpr std::int64_t kKillLimit_ns = 5'000'000'000;
constexpr int kOrphans_ms = 200;  // how often orphans that ended by themselves are looked after

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// ---- In the watcher and in the program's process before exec: async-signal-safe calls only, because the
// ---- caller had threads.

struct Child {
  const char* program;
  char* const* arguments;
  const char* directory;
  char* const* environment;
  std::array<int, 5> sources;  // become 0 … 4
};

void close_from(unsigned first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
#endif
  // Kernels before 5.9.
  rlimit limit{};
  const unsigned end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536
                           ? static_cast<unsigned>(limit.rlim_cur)
                           : 65536;
  for (unsigned number = first; number < end; ++number) ::close(static_cast<int>(number));
}

[[noreturn]] void become_program(const Child& child, int refusal, pid_t watcher) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != watcher) _exit(127);
  setpgid(0, 0);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::array<std::int32_t, 2> why{kDirectory, 0};
  if (child.directory[0] == '\0' || chdir(child.directory) == 0) {
    why[0] = kExecute;
    execve(child.program, child.arguments, child.environment);
  }
  why[1] = errno;
  [[maybe_unused]] const ssize_t ignored = write(refusal, why.data(), sizeof why);
  _exit(127);
}

// Kills the watcher's children; what these leave behind become its children next. The number killed.
int kill_children() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return 0;
  std::array<char, 4096> text{};
  const ssize_t length = read(list, text.data(), text.size());
  close(list);
  int killed = 0;
  pid_t number = 0;
  // A number that the buffer cuts has no space after it, and its turn comes with the next look.
  for (ssize_t i = 0; i < length; ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0');
    } else {
      if (number > 1 && kill(number, SIGKILL) == 0) ++killed;
      number = 0;
    }
  }
  return killed;
}

// Reaps what has ended. False once there is no child.
bool reap_all(pid_t program, End& end, bool& ended) {
  for (;;) {
    int status = 0;
    const pid_t found = waitpid(-1, &status, WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR)) return true;
    if (found < 0) return false;
    if (found != program) continue;
    end.end_ns = now_ns();
    end.status = status;
    ended = true;
  }
}

// Until no child is left, or they prove immortal.
void end_everything(pid_t program, End& end, bool& ended) {
  const std::int64_t until_ns = now_ns() + kKillLimit_ns;
  // Before its group is killed, so that what it left behind is counted while all of it is there.
  const int left = kill_children();
  if (ended) end.left = left;
  kill(-program, SIGKILL);
  for (int round = 0; reap_all(program, end, ended); ++round) {
    if (now_ns() > until_ns) {
      end.survivors = 1;
      return;
    }
    kill_children();
    const timespec moment{0, round < 10 ? 200'000 : 10'000'000};
    nanosleep(&moment, nullptr);
  }
}

void watch(const Child& child, End& end) {
  std::array<int, 2> refusal{};
  if (pipe2(refusal.data(), O_CLOEXEC) != 0) {
    end.refused_step = kFork;
    end.refused_code = errno;
    return;
  }
  const pid_t watcher = getpid();
  end.begin_ns = now_ns();
  const pid_t program = fork();
  if (program == 0) become_program(child, refusal[1], watcher);
  close(refusal[1]);
  if (program < 0) {
    end.refused_step = kFork;
    end.refused_code = errno;
    return;
  }
  std::array<std::int32_t, 2> why{};
  ssize_t got = 0;
  do {
    got = read(refusal[0], why.data(), sizeof why);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof why)) {
    end.refused_step = why[0];
    end.refused_code = why[1];
  }
  bool ended = false;
  const int death = static_cast<int>(syscall(SYS_pidfd_open, program, 0));
  while (!ended) {
    std::array<pollfd, 2> polled{pollfd{kLifeline, POLLIN, 0}, pollfd{death, POLLIN, 0}};
    poll(polled.data(), polled.size(), kOrphans_ms);
    reap_all(program, end, ended);
    if (polled[0].revents != 0) break;
  }
  end_everything(program, end, ended);
}

[[noreturn]] void become_watcher(const Child& child) {
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "assay-external");
  for (int number = 0; number < kFirstUnused; ++number) {
    if (dup2(child.sources[static_cast<std::size_t>(number)], number) < 0) _exit(126);
  }
  for (const int own : {kLifeline, kReport}) fcntl(own, F_SETFD, FD_CLOEXEC);
  close_from(kFirstUnused);
  End end;
  watch(child, end);
  [[maybe_unused]] const ssize_t ignored = write(kReport, &end, sizeof end);
  _exit(0);
}

// ---- In the caller

[[noreturn]] void refuse(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::pair<Descriptor, Descriptor> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse("a pipe cannot be created");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Above the numbers that the watcher gives its own, so that none is overwritten before it was copied.
Descriptor lifted(int number) {
  const int copy = fcntl(number, F_DUPFD_CLOEXEC, 64);
  if (copy < 0) refuse("a descriptor cannot be copied");
  return Descriptor(copy);
}

}  // namespace

Supervisor::Supervisor(const Launch& launch) {
  std::vector<char*> arguments;
  arguments.reserve(launch.arguments.size() + 1);
  for (const std::string& argument : launch.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));  // execve() does not write to it
  arguments.push_back(nullptr);

  Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing.get() < 0) refuse("/dev/null cannot be opened");
  auto [lifeline_end, lifeline] = make_pipe();
  auto [report, report_end] = make_pipe();
  std::vector<Descriptor> copies;
  Child child{launch.program.c_str(), arguments.data(), launch.directory.c_str(), environ, {}};
  const std::array<int, 5> originals{nothing.get(), launch.output, launch.error, lifeline_end.get(),
                                     report_end.get()};
  for (std::size_t i = 0; i < originals.size(); ++i) {
    copies.push_back(lifted(originals[i]));
    child.sources[i] = copies.back().get();
  }
  watcher_ = fork();
  if (watcher_ < 0) refuse("a process cannot be created");
  if (watcher_ == 0) become_watcher(child);
  lifeline_ = std::move(lifeline);
  report_ = std::move(report);
}

Supervisor::~Supervisor() {
  kill();
  reap();
}

void Supervisor::kill() { lifeline_.reset(); }

End Supervisor::take() {
  End end;
  ssize_t got = 0;
  do {
    got = read(report_.get(), &end, sizeof end);
  } while (got < 0 && errno == EINTR);
  reap();
  if (got != static_cast<ssize_t>(sizeof end))
    throw std::runtime_error("the process that watches the command was killed");
  return end;
}

void Supervisor::reap() {
  if (watcher_ < 0) return;
  int status = 0;
  while (waitpid(watcher_, &status, 0) < 0 && errno == EINTR) {
  }
  watcher_ = -1;
}

}  // namespace assay::plugins::external
