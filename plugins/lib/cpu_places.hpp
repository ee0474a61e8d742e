// SPDX-License-Identifier: Apache-2.0
//
// Where CPUs are: on which NUMA node, and in which core.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace assay::plugins {

struct CpuPlace {
  int cpu = 0;
  int node = 0;
  int core = 0;  // the lowest number of the CPUs that share the core with it
};

// The numbers of a list as the kernel writes it, "0-3,8", as far as it can be read.
inline std::vector<int> numbers_of(std::string_view list) {
  std::vector<int> numbers;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at != end) {
    int first = 0;
    const auto [after, error] = std::from_chars(at, end, first);
    if (error != std::errc() || first < 0) break;
    at = after;
    int last = first;
    if (at != end && *at == '-') {
      const auto [after_last, error_last] = std::from_chars(at + 1, end, last);
      constexpr int kMost = 1 << 20;  // of a file that is no such list
      if (error_last != std::errc() || last < first || last - first > kMost) break;
      at = after_last;
    }
    for (int number = first; number <= last; ++number) numbers.push_back(number);
    if (at == end || *at != ',') break;
    ++at;
  }
  return numbers;
}

// The other way round: "0-3, 8".
inline std::string list_of(const std::vector<int>& ascending) {
  std::string text;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t last = i;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(ascending[i]);
    if (last > i) text += "-" + std::to_string(ascending[last]);
    i = last + 1;
  }
  return text;
}

// A kernel without NUMA names no node: all is on node 0 then. One that says nothing of siblings leaves every
// CPU a core of its own.
inline CpuPlace place_of(int cpu, const std::filesystem::path& root = "/") {
  const std::filesystem::path folder = root / ("sys/devices/system/cpu/cpu" + std::to_string(cpu));
  CpuPlace place{cpu, 0, cpu};
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("node", 0) != 0) continue;
    const std::vector<int> number = numbers_of(std::string_view(name).substr(4));
    if (!number.empty()) place.node = number.front();
  }
  std::ifstream file(folder / "topology/thread_siblings_list");
  std::string line;
  if (std::getline(file, line)) {
    for (const int sibling : numbers_of(line)) place.core = std::min(place.core, sibling);
  }
  return place;
}

}  // namespace assay::plugins
