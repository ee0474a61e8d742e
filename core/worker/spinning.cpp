// SPDX-License-Identifier: Apache-2.0
#include "worker/spinning.hpp"

#include "base/descriptor.hpp"
#include "text/clock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <map>
#include <string>

namespace assay::worker {
namespace {

constexpr int kFirstLookAfter_ms = 1;
constexpr int kLookEvery_ms = 10;
constexpr int kLooksAtRest = 3;

std::string text_of(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return {};  // the thread ended meanwhile
  std::array<char, 256> bytes{};
  const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
  return {bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

// The state is the letter after the name. The name stands in parentheses and may contain parentheses.
bool runs(const std::string& stat) {
  const std::size_t end = stat.rfind(") ");
  return end != std::string::npos && end + 2 < stat.size() && stat[end + 2] == 'R';
}

// How long a thread ran and how long it waited for a processor, by the kernel's schedstat. The sum of a thread that
// spins grows as time does, on a busy machine too. Zero where the kernel does not count it.
std::uint64_t wanted_ns(const std::string& schedstat) {
  unsigned long long had_ns = 0, waited_ns = 0;
  if (std::sscanf(schedstat.c_str(), "%llu %llu", &had_ns, &waited_ns) != 2) return 0;
  return had_ns + waited_ns;
}

struct ThreadLook {
  double time_s;
  bool runs;
  std::uint64_t wanted_ns;
};

std::map<int, ThreadLook> look_at_other_threads() {
  std::map<int, ThreadLook> looks;
  DIR* directory = ::opendir("/proc/self/task");
  if (directory == nullptr) return looks;
  while (const dirent* entry = ::readdir(directory)) {
    const int thread = std::atoi(entry->d_name);
    if (thread <= 0 || thread == ::gettid()) continue;
    const std::string folder = std::string("/proc/self/task/") + entry->d_name;
    looks[thread] = {monotonic_s(), runs(text_of(folder + "/stat")),
                     wanted_ns(text_of(folder + "/schedstat"))};
  }
  ::closedir(directory);
  return looks;
}

// A look often falls into the nap of a thread that naps between its turns, since that is when a busy machine
// lets the caller run. So a thread rests only if it did not want a processor for most of the time either.
bool rests(const ThreadLook& before, const ThreadLook& now) {
  return !now.runs &&
         2e-9 * static_cast<double>(now.wanted_ns - before.wanted_ns) < now.time_s - before.time_s;
}

}  // namespace

std::size_t spinning_threads(std::chrono::milliseconds limit) {
  struct Suspect {
    ThreadLook last;
    int looks_at_rest;  // in a row
  };
  const double end_s = monotonic_s() + std::chrono::duration<double>(limit).count();
  std::map<int, Suspect> suspects;
  for (const auto& [thread, look] : look_at_other_threads()) suspects[thread] = {look, 0};
  bool first = true;
  while (!suspects.empty() && monotonic_s() < end_s) {
    ::poll(nullptr, 0, first ? kFirstLookAfter_ms : kLookEvery_ms);
    const std::map<int, ThreadLook> looks = look_at_other_threads();
    for (auto& [thread, suspect] : suspects) {
      const auto look = looks.find(thread);
      const bool ended = look == looks.end();
      suspect.looks_at_rest = ended || rests(suspect.last, look->second) ? suspect.looks_at_rest + 1 : 0;
      if (!ended) suspect.last = look->second;
    }
    // One that rests from the first is none that spins.
    const int enough = first ? 1 : kLooksAtRest;
    std::erase_if(suspects, [&](const auto& entry) { return entry.second.looks_at_rest >= enough; });
    first = false;
  }
  return suspects.size();
}

}  // namespace assay::worker
