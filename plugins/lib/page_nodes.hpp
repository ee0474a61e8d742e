// SPDX-License-Identifier: Apache-2.0
//
// On which NUMA nodes memory really lies, whatever was asked for.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace assay::plugins {

// The nodes of up to 64 pages that lie evenly over the range; empty where the kernel does not say.
inline std::set<int> page_nodes_of(const void* memory, std::size_t bytes) {
  constexpr std::size_t kMost = 64;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t pages = std::min<std::size_t>(kMost, (bytes + page - 1) / page);
  std::vector<void*> places;
  for (std::size_t i = 0; i < pages; ++i) {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(memory) + bytes / pages * i;
    places.push_back(reinterpret_cast<void*>(at / page * page));
  }
  std::vector<int> status(pages, -1);
  std::set<int> nodes;
  // Without target nodes the call moves nothing and only reports.
  if (pages == 0 || ::syscall(SYS_move_pages, 0, pages, places.data(), nullptr, status.data(), 0) != 0) {
    return nodes;
  }
  for (const int node : status) {
    if (node >= 0) nodes.insert(node);
  }
  return nodes;
}

// "node 0", "nodes 0, 1", "unknown"
inline std::string page_nodes_text(const std::set<int>& nodes) {
  if (nodes.empty()) return "unknown";
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (const int node : nodes) {
    if (node != *nodes.begin()) text += ", ";
    text += std::to_string(node);
  }
  return text;
}

}  // namespace assay::plugins
