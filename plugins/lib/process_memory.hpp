// SPDX-License-Identifier: Apache-2.0
//
// How much memory this process has in use, as the kernel counts it, and the most that it had.
#pragma once

#include "lib/available_memory.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>

namespace assay::plugins {

// Pages that are in memory, those shared with other processes included; nothing where the kernel does not say.
inline std::optional<std::uint64_t> resident_memory(const std::filesystem::path& root = "/") {
  return listed_number(detail::text_of_file(root / "proc/self/status"), "VmRSS:");
}
// The most of it since the start, or since forget_peak_memory().
inline std::optional<std::uint64_t> peak_memory(const std::filesystem::path& root = "/") {
  return listed_number(detail::text_of_file(root / "proc/self/status"), "VmHWM:");
}
// False where the kernel does not let it.
inline bool forget_peak_memory() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5";
  file.close();
  return !file.fail();
}

}  // namespace assay::plugins
