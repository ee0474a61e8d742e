// SPDX-License-Identifier: Apache-2.0
#include "process/process.hpp"

#include "base/error.hpp"
#include "process/orphan_reaper.hpp"
#include "system/binding.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace assay::process {
namespace {

// Where the child stood when it was refused something; it reports {step, errno} through a pipe that exec
// closes.
enum LaunchStep : int { kStepSession, kStepParent, kStepDescriptors, kStepBinding, kStepExecute };

struct Refusal {
  int step;
  int code;
};

constexpr int kDeathLimit_ms = 2000;  // from SIGKILL to the end of waiting for it

std::string reason(int code) { return std::generic_category().message(code); }

Error not_started(const std::string& text) { return Error("worker.start", text); }

Error refused(const Refusal& refusal, const Launch& launch) {
  const std::string why = reason(refusal.code);
  switch (refusal.step) {
    case kStepBinding:
      return not_started("the process cannot be bound to its CPUs and memory nodes: " + why +
                         "; a container may forbid it or hold fewer CPUs: choose 'bind: none'");
    case kStepExecute:
      return not_started("'" + launch.arguments[0] + "' cannot be executed: " + why);
    default:
      return not_started("a process cannot be set up: " + why + "; check the limits of processes and files");
  }
}

std::string find_program(const Launch& launch) {
  const std::string& name = launch.arguments.at(0);
  if (name.find('/') != std::string::npos) return name;
  for (const std::string& variable : launch.environment) {
    if (!variable.starts_with("PATH=")) continue;
    std::string_view rest = std::string_view(variable).substr(5);
    while (!rest.empty()) {
      const std::string_view folder = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
      std::string candidate = (folder.empty() ? "." : std::string(folder)) + "/" + name;
      if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
    }
  }
  throw not_started("'" + name + "' is in no folder of PATH; give its whole path");
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw not_started("a pipe cannot be created: " + reason(errno) +
                      "; check the limit of open files (ulimit -n)");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Above every number that the child's descriptors will get, so that dup2 never overwrites one that is still
// needed.
Descriptor lifted(int number) {
  const int copy = fcntl(number, F_DUPFD_CLOEXEC, 64);
  if (copy < 0) throw not_started("a descriptor cannot be copied: " + reason(errno) + "; check ulimit -n");
  return Descriptor(copy);
}

// All that the child needs, made before the fork: between fork and exec it may not allocate.
struct ChildSetup {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const int* sources;  // become 0, 1, 2, …
  int source_count;
  const system::BindingMasks* binding;
  int report;
  pid_t parent;
};

[[noreturn]] void give_up(const ChildSetup& child, LaunchStep step) {
  const Refusal refusal{step, errno};
  // If the pipe is broken nobody listens any more.
  [[maybe_unused]] const ssize_t ignored = write(child.report, &refusal, sizeof refusal);
  _exit(127);
}

// A caller that inherited "ignore" for SIGCHLD would never learn how its children ended.
void keep_ends() {
  struct sigaction action {};
  if (sigaction(SIGCHLD, nullptr, &action) != 0 || action.sa_handler != SIG_IGN) return;
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, nullptr);
}

void close_on_exec_from(unsigned first) {
#ifdef SYS_close_range
  constexpr unsigned kCloseOnExec = 1U << 2;
  if (syscall(SYS_close_range, first, ~0U, kCloseOnExec) == 0) return;
#endif
  // Kernels before 5.11.
  rlimit limit{};
  const unsigned end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536
                           ? static_cast<unsigned>(limit.rlim_cur)
                           : 65536;
  for (unsigned number = first; number < end; ++number) fcntl(static_cast<int>(number), F_SETFD, FD_CLOEXEC);
}

// Async-signal-safe calls only.
[[noreturn]] void run_child(const ChildSetup& child) {
  if (setsid() < 0) give_up(child, kStepSession);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(child, kStepParent);
  if (getppid() != child.parent) _exit(127);  // the parent died before the line above

  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);

  for (int number = 0; number < child.source_count; ++number) {
    if (dup2(child.sources[number], number) < 0) give_up(child, kStepDescriptors);
  }
  close_on_exec_from(static_cast<unsigned>(child.source_count));

  errno = system::apply_binding(*child.binding);
  if (errno != 0) give_up(child, kStepBinding);
  execve(child.program, child.arguments, child.environment);
  give_up(child, kStepExecute);
}

}  // namespace

Process::Process(const Launch& launch) {
  const std::string program = find_program(launch);
  const std::vector<char*> arguments = pointers(launch.arguments);
  const std::vector<std::string> variables = marked(launch.environment);
  const std::vector<char*> environment = pointers(variables);
  const system::BindingMasks binding = system::binding_masks(launch.cpus, launch.memory_nodes);

  Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing.open()) throw not_started("/dev/null cannot be opened: " + reason(errno));
  Pipe output = make_pipe(), report = make_pipe();
  std::vector<Descriptor> lifted_ends;
  std::vector<int> sources;
  std::vector<int> originals = {launch.input < 0 ? nothing.get() : launch.input, output.write.get(),
                                output.write.get()};
  originals.insert(originals.end(), launch.descriptors.begin(), launch.descriptors.end());
  for (const int original : originals) {
    lifted_ends.push_back(lifted(original));
    sources.push_back(lifted_ends.back().get());
  }
  Descriptor report_end = lifted(report.write.get());
  const ChildSetup child{program.c_str(),
                         arguments.data(),
                         environment.data(),
                         sources.data(),
                         static_cast<int>(sources.size()),
                         &binding,
                         report_end.get(),
                         getpid()};

  keep_ends();
  id_ = fork();
  if (id_ < 0) {
    throw not_started("a process cannot be created: " + reason(errno) +
                      "; check the limits of processes and memory");
  }
  if (id_ == 0) run_child(child);
  remember_process(id_);

  death_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, id_, 0)));
  const int death_code = errno;
  report.write.reset();
  report_end.reset();
  Refusal refusal{};
  ssize_t got = 0;
  do {
    got = read(report.read.get(), &refusal, sizeof refusal);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof refusal) || !death_.open()) {
    ::kill(id_, SIGKILL);
    while (waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
    }
    forget_process(id_);
    if (!death_.open()) {
      const bool full = death_code == EMFILE || death_code == ENFILE;
      throw not_started(
          "a process cannot be watched: " + reason(death_code) +
          (full ? "; raise the limit of open files (ulimit -n)" : "; Linux 5.3 or later is needed"));
    }
    throw refused(refusal, launch);
  }
  output_ = std::move(output.read);
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);
}

Process::~Process() {
  if (reaped_) return;
  signal(SIGKILL);
  // A process that hangs inside a driver does not even die of that; it must not take the controller with it.
  pollfd death{death_.get(), POLLIN, 0};
  while (poll(&death, 1, kDeathLimit_ms) < 0 && errno == EINTR) {
  }
  static_cast<void>(reap());
}

void Process::signal(int number) const {
  // The number cannot belong to another process before it is reaped.
  if (!reaped_) ::kill(-id_, number);
}

int Process::stopped_by() const {
  siginfo_t info{};
  if (reaped_ || waitid(P_PID, static_cast<id_t>(id_), &info, WSTOPPED | WNOHANG | WNOWAIT) != 0) return 0;
  return info.si_pid == 0 ? 0 : info.si_status;
}

bool Process::reap() {
  if (reaped_) return true;
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
    return false;
  // While it is not reaped its number still names the group, so its children can be killed without a race.
  signal(SIGKILL);
  while (waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
  forget_process(id_);
  reaped_ = true;
  return true;
}

std::string signal_text(int number) {
  const char* name = sigabbrev_np(number);
  return "signal " + std::to_string(number) + (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
}

}  // namespace assay::process
