// SPDX-License-Identifier: Apache-2.0
#include "check/resources.hpp"

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
  const struct mallinfo2 heap = mallinfo2();
  now.heap_bytes = heap.uordblks + heap.hblkhd;
  std::istringstream data(status_line("VmData"));
  std::size_t kibibytes = 0;
  data >> kibibytes;
  now.mapped_bytes = kibibytes << 10;
  return now;
}

}  // namespace assay::check
