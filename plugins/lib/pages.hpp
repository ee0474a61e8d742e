// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace assay::plugins {

// What the kernel takes for a page: 64 KiB on some machines.
inline std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

// Asks the kernel for huge pages under whole pages of the range, before they are touched: address translation
// should cost the same in every process, not what the allocator happened to return.
inline void ask_for_huge_pages(void* memory, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  (void)memory;
  (void)bytes;
#endif
}

// What that can have achieved here, for a fact: "huge (asked for)" or "4 KiB".
inline std::string page_policy() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(file, line);
  const bool possible = file && line.find("[never]") == std::string::npos;
  return possible ? "huge (asked for)" : std::to_string(::sysconf(_SC_PAGESIZE) / 1024) + " KiB";
}

}  // namespace assay::plugins
