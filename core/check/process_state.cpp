// SPDX-License-Identifier: Apache-2.0
#include "check/process_state.hpp"

#include "base/error.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <sstream>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

extern char** environ;

namespace assay::check {
namespace {

namespace fs = std::filesystem;

// A line "Key:\tvalue" of /proc/self/status.
std::string status_line(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":")) return line.substr(line.find_first_not_of(" \t", key.size() + 1));
  }
  return "";
}

unsigned floating_point_control() {
#if defined(__x86_64__)
  constexpr unsigned kStatusBits = 0x3f;  // exceptions that have happened; the rest is control
  return _mm_getcsr() & ~kStatusBits;
#else
  return 0;
#endif
}

}  // namespace

ProcessState process_state() {
  ProcessState state;
  std::error_code ignored;
  state.folder = fs::current_path(ignored).string();
  state.locale = std::setlocale(LC_ALL, nullptr);
  state.umask = status_line("Umask");
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    state.environment.emplace_back(*entry);
  std::sort(state.environment.begin(), state.environment.end());
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &cpus)) state.cpus.push_back(cpu);
    }
  }
  sigset_t mask;
  sigemptyset(&mask);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  for (int number = 1; number < NSIG; ++number) {
    state.signal_mask += sigismember(&mask, number) == 1 ? '1' : '0';
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0)
      state.signal_handlers[number] = reinterpret_cast<std::uintptr_t>(action.sa_handler);
  }
  state.rounding = std::fegetround();
  state.floating_point = floating_point_control();
  return state;
}

std::string difference(const ProcessState& before, const ProcessState& after) {
  std::vector<std::string> changed;
  if (before.folder != after.folder) changed.emplace_back("the working directory");
  if (before.locale != after.locale) changed.emplace_back("the locale");
  if (before.umask != after.umask) changed.emplace_back("the file mode mask");
  if (before.environment != after.environment) changed.emplace_back("the environment");
  if (before.cpus != after.cpus) changed.emplace_back("the CPU affinity of the case thread");
  if (before.signal_mask != after.signal_mask) changed.emplace_back("the signal mask of the case thread");
  for (const auto& [number, handler] : before.signal_handlers) {
    const auto now = after.signal_handlers.find(number);
    if (now != after.signal_handlers.end() && now->second != handler)
      changed.push_back("the handler of signal " + std::to_string(number));
  }
  if (before.rounding != after.rounding || before.floating_point != after.floating_point)
    changed.emplace_back("the floating-point environment");
  std::string text;
  for (const std::string& what : changed) text += (text.empty() ? "" : ", ") + what;
  return text;
}

Resources resources() {
  Resources now;
  std::error_code ignored;
  const fs::directory_iterator threads("/proc/self/task", ignored);
  now.threads = static_cast<std::size_t>(std::distance(begin(threads), end(threads)));
  std::vector<std::string> numbers;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", ignored))
    numbers.push_back(entry.path().filename());
  // Looked at afterwards, so that the iterator's own descriptor is gone.
  for (const std::string& number : numbers) {
    const fs::path target = fs::read_symlink("/proc/self/fd/" + number, ignored);
    if (!ignored) now.descriptors[std::stoi(number)] = target.string();
  }
  const struct mallinfo2 heap = mallinfo2();
  now.heap_bytes = heap.uordblks + heap.hblkhd;
  std::istringstream data(status_line("VmData"));
  std::size_t kibibytes = 0;
  data >> kibibytes;
  now.mapped_bytes = kibibytes << 10;
  return now;
}

}  // namespace assay::check
