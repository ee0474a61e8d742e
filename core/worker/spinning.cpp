// SPDX-License-Identifier: Apache-2.0
#include "worker/spinning.hpp"

#include "base/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <dirent.h>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace assay::worker {
namespace {

constexpr int kLookEvery_ms = 10;
// One that naps between its turns is seen at rest now and then, and takes the processor all the same.
constexpr int kLooksAtRest = 3;

// The state is the letter after the name, which stands in parentheses and may hold some itself.
bool runs(const char* thread) {
  const std::string path = std::string("/proc/self/task/") + thread + "/stat";
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return false;  // it ended meanwhile
  std::array<char, 256> bytes{};
  const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
  const std::string_view text(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t end = text.rfind(") ");
  return end != std::string_view::npos && end + 2 < text.size() && text[end + 2] == 'R';
}

// Waiting for a processor counts: on a busy machine, too, a thread that spins never sleeps.
std::set<int> running_threads() {
  std::set<int> running;
  DIR* directory = ::opendir("/proc/self/task");
  if (directory == nullptr) return running;
  while (const dirent* entry = ::readdir(directory)) {
    const int thread = std::atoi(entry->d_name);
    if (thread > 0 && thread != ::gettid() && runs(entry->d_name)) running.insert(thread);
  }
  ::closedir(directory);
  return running;
}

}  // namespace

std::size_t spinning_threads(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::map<int, int> at_rest;  // of each thread under suspicion, how often in a row
  for (const int thread : running_threads()) at_rest[thread] = 0;
  while (!at_rest.empty() && std::chrono::steady_clock::now() < end) {
    ::poll(nullptr, 0, kLookEvery_ms);
    const std::set<int> now = running_threads();
    for (auto& [thread, looks] : at_rest) looks = now.contains(thread) ? 0 : looks + 1;
    std::erase_if(at_rest, [](const auto& thread) { return thread.second >= kLooksAtRest; });
  }
  return at_rest.size();
}

}  // namespace assay::worker
