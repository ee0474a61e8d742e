// SPDX-License-Identifier: Apache-2.0
//
// Memory that belongs on one NUMA node.
#pragma once

#include "lib/memory_policy.hpp"
#include "lib/pages.hpp"

#include <assay/case.hpp>
#include <assay/errors.hpp>
#include <assay/memory.hpp>

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::p2p {

// The nodes of up to 64 pages that lie evenly over the range, ascending and each once; empty where the kernel
// does not say, or nothing was touched.
inline std::vector<int> nodes_under(const void* memory, std::size_t bytes) {
  constexpr std::size_t kMost = 64;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t pages = std::min(kMost, (bytes + page - 1) / page);
  std::vector<void*> places;
  for (std::size_t i = 0; i < pages; ++i) {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(memory) + bytes / pages * i;
    places.push_back(reinterpret_cast<void*>(at / page * page));
  }
  std::vector<int> status(pages, -1);
  // Without target nodes the call moves nothing and only reports.
  if (pages == 0 || ::syscall(SYS_move_pages, 0, pages, places.data(), nullptr, status.data(), 0) != 0) {
    return {};
  }
  std::sort(status.begin(), status.end());
  status.erase(std::unique(status.begin(), status.end()), status.end());
  status.erase(status.begin(), std::lower_bound(status.begin(), status.end(), 0));  // below 0: not there
  return status;
}

// Words on one node, once its threads have touched them first. It can be moved to a new one only.
class NodeBuffer {
 public:
  // Whole pages: a policy is of pages, and nobody else's memory is to get it.
  NodeBuffer(const Case& run, std::size_t words, int node) : buffer_(run, words, page_bytes()) {
    ask_for_huge_pages(buffer_.data(), buffer_.bytes());
    // Touching first is what places the pages; this holds them there and moves what the allocator had used
    // before. Containers often forbid it, and then the pages are looked at all the same.
    policy(MPOL_BIND, {node}, MPOL_MF_MOVE);
  }
  NodeBuffer(NodeBuffer&&) = default;
  NodeBuffer& operator=(NodeBuffer&&) = delete;
  ~NodeBuffer() { policy(MPOL_DEFAULT, {}, 0); }  // the allocator may give the pages to somebody else

  std::uint64_t* data() { return buffer_.data(); }
  const std::uint64_t* data() const { return buffer_.data(); }
  std::size_t bytes() const { return buffer_.bytes(); }

 private:
  void policy(int mode, const std::vector<int>& nodes, unsigned flags) {
    if (buffer_.data() != nullptr) set_memory_policy(buffer_.data(), buffer_.bytes(), mode, nodes, flags);
  }

  HostBuffer<std::uint64_t> buffer_;
};

// Throws Skip if pages lie on another node: the process may be bound to others, or the node is full. One
// whose pages the kernel does not show is taken as it is.
inline void require_on_node(const NodeBuffer& buffer, int node) {
  for (const int other : nodes_under(buffer.data(), buffer.bytes())) {
    if (other == node) continue;
    throw Skip("memory for node " + std::to_string(node) + " came to lie on node " + std::to_string(other) +
               ": is the process bound to other nodes' memory, or the node full?");
  }
}

}  // namespace assay::plugins::p2p
