// SPDX-License-Identifier: Apache-2.0
#include "report/child.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "wire/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace assay::report {
namespace {

constexpr off_t kPrintedLimit = 64 << 10;
constexpr std::size_t kPrintedTail = 2000;
constexpr int kSafeDescriptor = 10;  // above all that the child's own descriptors become
constexpr int kNotExecuted = 127;

[[noreturn]] void refused(const std::string& what) {
  throw Error("worker.start", "the process of a reporter cannot be set up: " + what + ": " +
                                  std::strerror(errno) + "; check the limits of processes and files");
}

// A file in memory that takes only so much: nobody has to read while the child prints.
int bounded_file() {
  const int file = memfd_create("assay-reporter", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0 || ftruncate(file, kPrintedLimit) != 0 ||
      fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    if (file >= 0) close(file);
    refused("memory for what it prints");
  }
  return file;
}

// Async-signal-safe calls only.
[[noreturn]] void run_child(const char* program, char* const* arguments,
                            const std::array<int, 4>& descriptors, pid_t parent) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotExecuted);  // the parent died before the line above
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    if (dup2(descriptors[i], static_cast<int>(i)) < 0) _exit(kNotExecuted);
  }
  execve(program, arguments, environ);
  _exit(kNotExecuted);
}

}  // namespace

Child::Child(const std::filesystem::path& program, int socket) : output_(bounded_file()) {
  static_assert(wire::kWorkerDescriptor == 3);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const std::array<int, 4> sources{nothing, output_, output_, socket};
  std::array<int, 4> lifted{-1, -1, -1, -1};
  bool good = nothing >= 0;
  for (std::size_t i = 0; i < sources.size() && good; ++i) {
    lifted[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, kSafeDescriptor);
    good = lifted[i] >= 0;
  }
  std::string path = program.string(), word = "worker";
  const std::array<char*, 3> arguments{path.data(), word.data(), nullptr};
  const pid_t parent = getpid();
  if (good) {
    id_ = fork();
    if (id_ == 0) run_child(path.c_str(), arguments.data(), lifted, parent);
    good = id_ > 0;
  }
  const int code = errno;
  for (const int descriptor : lifted) {
    if (descriptor >= 0) close(descriptor);
  }
  if (nothing >= 0) close(nothing);
  if (good) return;
  close(output_);
  errno = code;
  refused("a process");
}

Child::~Child() {
  finish(std::chrono::milliseconds(0));
  close(output_);
}

void Child::finish(std::chrono::milliseconds patience) {
  if (id_ < 0) return;
  const int death = static_cast<int>(syscall(SYS_pidfd_open, id_, 0));
  pollfd waiting{death, POLLIN, 0};
  bool ended = false;
  if (death >= 0) {
    int ready = 0;
    do {
      ready = poll(&waiting, 1, static_cast<int>(patience.count()));
    } while (ready < 0 && errno == EINTR);
    ended = ready > 0;
    close(death);
  }
  // Its number still names the group until it is reaped.
  kill(-id_, SIGKILL);
  kill(id_, SIGKILL);
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  if (!ended) return;
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    ending_ = "signal " + std::to_string(WTERMSIG(status)) +
              (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
  } else if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    ending_ = "exit status " + std::to_string(WEXITSTATUS(status));
  }
}

std::string Child::printed() const {
  std::string text(static_cast<std::size_t>(kPrintedLimit), '\0');
  const ssize_t count = pread(output_, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::size_t end = text.find_last_not_of(std::string_view("\0\n", 2));
  text.resize(end == std::string::npos ? 0 : end + 1);
  return tail(printable(text), kPrintedTail);
}

}  // namespace assay::report
