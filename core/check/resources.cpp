// SPDX-License-Identifier: Apache-2.0
#include "check/resources.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <sstream>
#include <vector>

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

// glibc counts what waits in a thread's cache as in use, so a case seems to keep what it gave back. A full
// cache is always the same: seven blocks of each size up to 1032 bytes.
void fill_thread_cache() {
  std::array<void*, 7> blocks{};
  for (std::size_t bytes = 24; bytes <= 1032; bytes += 16) {
    for (void*& block : blocks) block = std::malloc(bytes);
    for (void* volatile block : blocks) std::free(block);
  }
}

}  // namespace

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
  fill_thread_cache();
  const struct mallinfo2 heap = mallinfo2();
  now.heap_bytes = heap.uordblks + heap.hblkhd;
  std::istringstream data(status_line("VmData"));
  std::size_t kibibytes = 0;
  data >> kibibytes;
  now.mapped_bytes = kibibytes << 10;
  return now;
}

}  // namespace assay::check
