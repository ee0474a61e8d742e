// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace assay::plugins::host {

// What the kernel says about the CPUs. Numbers are 0 and texts empty where it says nothing.
struct CpuFacts {
  std::string model, architecture, vectors, governor, huge_pages;
  std::int64_t online = 0, cores = 0, sockets = 0;
  std::int64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // of the first CPU
  std::int64_t memory_bytes = 0;
};

// `root` is "/", or a folder with a copy of /proc and /sys.
[[nodiscard]] CpuFacts read_cpu_facts(const std::string& root);

// The first line of a file without its newline; "" if it cannot be read.
[[nodiscard]] std::string first_line(const std::string& path);

// "0-3,8" → 5. 0 for what is not a list of CPUs.
[[nodiscard]] std::int64_t count_cpus(const std::string& list);

// "32K", "2048K", "480M" → bytes. 0 for what is not a size.
[[nodiscard]] std::int64_t parse_cache_size(const std::string& text);

}  // namespace assay::plugins::host
