// SPDX-License-Identifier: Apache-2.0
#include "worker/process_state.hpp"

#include "text/text.hpp"
#include "worker/spinning.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <clocale>
#include <cstring>
#include <dirent.h>
#include <locale.h>
#include <utility>

extern char** environ;

namespace assay::worker {
namespace {

// More than a benchmark's later visits add to what its first one started.
constexpr std::size_t kMoreThreads = 64;
constexpr std::size_t kMoreDescriptors = 64;

std::size_t entries(const char* folder) {
  DIR* directory = ::opendir(folder);
  if (directory == nullptr) return 0;
  std::size_t count = 0;
  while (const dirent* entry = ::readdir(directory)) count += entry->d_name[0] != '.';
  ::closedir(directory);
  return count;
}

std::string working_directory() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) != nullptr ? path : "none";
}

std::string variables() {
  std::string all;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    all += *variable;
    all += '\0';
  }
  return all;
}

// Names only: values may be secrets.
std::string changed_names(const std::string& before, const std::string& now) {
  const std::vector<std::string> old_ones = split(before, '\0'), new_ones = split(now, '\0');
  std::set<std::string> names;
  const auto add = [&](const std::vector<std::string>& from, const std::vector<std::string>& other) {
    const std::set<std::string> known(other.begin(), other.end());
    for (const std::string& variable : from)
      if (!known.contains(variable)) names.insert(printable(variable.substr(0, variable.find('='))));
  };
  add(old_ones, new_ones);
  add(new_ones, old_ones);
  return join({names.begin(), names.end()}, ", ");
}

bool same_signals(const sigset_t& a, const sigset_t& b) {
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(&a, number) != sigismember(&b, number)) return false;
  }
  return true;
}

}  // namespace

ProcessState ProcessState::read() {
  ProcessState state;
  const char* locale = std::setlocale(LC_ALL, nullptr);
  state.locale_ = locale != nullptr ? locale : "";
  state.own_locale_ = ::uselocale(nullptr) != LC_GLOBAL_LOCALE;
  state.directory_ = working_directory();
  state.environment_ = variables();
  for (std::size_t number = 1; number < kSignals; ++number) {
    struct sigaction action {};
    if (::sigaction(static_cast<int>(number), nullptr, &action) == 0)
      state.handlers_[number] = reinterpret_cast<std::uintptr_t>(action.sa_handler);
  }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &state.mask_);
  ::sched_getaffinity(0, sizeof state.affinity_, &state.affinity_);
  state.floating_point_ = FloatingPoint::read();
  state.read_kernel_settings();
  state.terminate_ = std::get_terminate();
  state.no_memory_ = std::get_new_handler();
  for (int stream = 0; stream < static_cast<int>(state.streams_.size()); ++stream) {
    struct stat status {};
    if (::fstat(stream, &status) == 0)
      state.streams_[static_cast<std::size_t>(stream)] = {true, status.st_dev, status.st_ino};
  }
  siginfo_t info{};
  state.has_children_ = ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
  state.threads_ = entries("/proc/self/task");
  state.descriptors_ = entries("/proc/self/fd");
  return state;
}

std::vector<std::string> ProcessState::changes_since(const ProcessState& before) const {
  static constexpr const char* kStreams[] = {"standard input", "standard output", "standard error"};
  std::vector<std::string> changes;
  if (locale_ != before.locale_) {
    changes.push_back("the locale is '" + printable(locale_) + "', not '" + printable(before.locale_) + "'");
  }
  if (own_locale_ != before.own_locale_) changes.emplace_back("the case thread has a locale of its own");
  if (directory_ != before.directory_) {
    changes.push_back("the working directory is '" + printable(directory_) + "', not '" +
                      printable(before.directory_) + "'");
  }
  if (environment_ != before.environment_) {
    if (const std::string names = changed_names(before.environment_, environment_); !names.empty())
      changes.push_back("the environment differs in " + names);
  }
  for (std::size_t number = 1; number < kSignals; ++number) {
    if (handlers_[number] != before.handlers_[number]) {
      const char* name = sigabbrev_np(static_cast<int>(number));
      changes.push_back("the handler of " +
                        (name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number)) +
                        " is another");
    }
  }
  if (!same_signals(mask_, before.mask_)) changes.emplace_back("the signal mask is another");
  if (CPU_EQUAL(&affinity_, &before.affinity_) == 0) {
    changes.push_back("the case thread is bound to " + std::to_string(CPU_COUNT(&affinity_)) +
                      " CPUs, not as before to " + std::to_string(CPU_COUNT(&before.affinity_)));
  }
  for (std::string& change : floating_point_.changes_since(before.floating_point_))
    changes.push_back(std::move(change));
  describe_kernel_settings(before, changes);
  if (terminate_ != before.terminate_)
    changes.emplace_back("what is called for an exception that nobody catches is another");
  if (no_memory_ != before.no_memory_) changes.emplace_back("what 'new' calls without memory is another");
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    if (streams_[stream] == before.streams_[stream]) continue;
    changes.push_back(std::string(kStreams[stream]) +
                      (streams_[stream].open ? " leads elsewhere" : " is closed"));
  }
  if (has_children_ && !before.has_children_) changes.emplace_back("a child process is left");
  return changes;
}

ProcessGuard::VisitLeftovers ProcessGuard::look(const std::string& benchmark,
                                                const std::vector<std::string>& devices) {
  const ProcessState now = ProcessState::read();
  VisitLeftovers found;
  found.changes = now.changes_since(start_);
  if (const std::size_t spinning = spinning_threads(); spinning > 0)
    found.changes.push_back(std::to_string(spinning) +
                            " of its threads still run half a second after it ended");
  if (seen_.insert({benchmark, devices}).second) {
    threads_ = std::max(threads_, now.threads());
    descriptors_ = std::max(descriptors_, now.descriptors());
    return found;
  }
  if (now.threads() > threads_ + kMoreThreads) {
    found.grown.push_back(std::to_string(now.threads() - threads_) + " threads more than at first");
  }
  if (now.descriptors() > descriptors_ + kMoreDescriptors) {
    found.grown.push_back(std::to_string(now.descriptors() - descriptors_) +
                          " descriptors more than at first");
  }
  return found;
}

}  // namespace assay::worker
