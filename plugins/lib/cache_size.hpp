// SPDX-License-Identifier: Apache-2.0
//
// How large the last-level caches are that CPUs find their data in.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace assay::plugins {

// Bytes of the last-level caches of these CPUs, each cache once; 0 if unknown. The C library is asked only
// where the kernel does not say: it may add up caches that these CPUs do not have, or name one of several.
inline std::size_t last_level_cache_bytes(const std::vector<int>& cpus,
                                          const std::filesystem::path& root = "/") {
  std::map<int, std::map<std::string, std::size_t>> levels;  // level → which CPUs share it → bytes
  for (const int cpu : cpus) {
    const auto folder = root / ("sys/devices/system/cpu/cpu" + std::to_string(cpu)) / "cache";
    for (int index = 0; index < 16; ++index) {
      const auto of = [&](const char* name) {
        std::ifstream file(folder / ("index" + std::to_string(index)) / name);
        std::string text;
        std::getline(file, text);
        return text;
      };
      const std::string size = of("size");  // "32768K"
      if (size.empty() || of("type") == "Instruction") continue;
      char* unit = nullptr;
      const auto number = static_cast<std::size_t>(std::strtoull(size.c_str(), &unit, 10));
      const std::size_t scale = *unit == 'K' ? std::size_t{1} << 10 : *unit == 'M' ? std::size_t{1} << 20 : 1;
      if (number > 0) levels[std::atoi(of("level").c_str())][of("shared_cpu_list")] = number * scale;
    }
  }
  if (!levels.empty()) {
    std::size_t sum = 0;
    for (const auto& [shared, bytes] : levels.rbegin()->second) sum += bytes;
    return sum;
  }
  for (const int name : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    const long bytes = ::sysconf(name);
    if (bytes > 0) return static_cast<std::size_t>(bytes);
  }
  return 0;
}

// "768.0 MiB, 24.00 × the last-level cache", "16.0 KiB, 0.0005 × …": how large all arrays are beside the caches of these CPUs.
inline std::string working_set_text(double bytes, const std::vector<int>& cpus) {
  const auto cache = static_cast<double>(last_level_cache_bytes(cpus));
  const bool is_small = bytes < 0x1p20;
  char text[96];
  std::snprintf(text, sizeof(text), is_small ? "%.1f KiB" : "%.1f MiB", bytes / (is_small ? 0x1p10 : 0x1p20));
  std::string out = text;
  if (cache > 0) {
    const double times = bytes / cache;
    std::snprintf(text, sizeof(text),
                  times < 0.01 ? ", %.1g × the last-level cache" : ", %.2f × the last-level cache", times);
    out += text;
  }
  return out;
}

}  // namespace assay::plugins
