// SPDX-License-Identifier: Apache-2.0
//
// From which NUMA nodes the kernel takes memory, page by page and for a process, and where pages lie then.
#pragma once

#include "lib/pages.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace assay::plugins {

namespace detail {

inline constexpr std::size_t kPolicyBits = sizeof(unsigned long) * CHAR_BIT;

inline std::vector<unsigned long> node_mask(const std::vector<int>& nodes) {
  std::vector<unsigned long> mask;
  for (const int node : nodes) {
    const std::size_t word = static_cast<std::size_t>(node) / kPolicyBits;
    if (mask.size() <= word) mask.resize(word + 1);
    mask[word] |= 1ul << (static_cast<std::size_t>(node) % kPolicyBits);
  }
  return mask;
}

}  // namespace detail

// Sets the policy (MPOL_*) of whole pages: `nodes` are those that it names. `flags` as mbind(2) has them. 0,
// or the errno: containers often forbid the call.
inline int set_memory_policy(void* memory, std::size_t bytes, int mode, const std::vector<int>& nodes,
                             unsigned flags) {
  const std::vector<unsigned long> mask = detail::node_mask(nodes);
  // One bit more than there are: the kernel takes one off.
  const long result =
      ::syscall(SYS_mbind, memory, bytes, mode, mask.empty() ? nullptr : mask.data(),
                mask.empty() ? 0 : mask.size() * detail::kPolicyBits + 1, static_cast<unsigned long>(flags));
  return result == 0 ? 0 : errno;
}

// The nodes that the calling thread is bound to take memory from, ascending; empty if to none.
inline std::vector<int> bound_memory_nodes() {
  // The kernel refuses a mask that is shorter than its own.
  for (std::size_t bits = 1024; bits <= (std::size_t{1} << 20); bits *= 2) {
    std::vector<unsigned long> mask(bits / detail::kPolicyBits);
    int mode = MPOL_DEFAULT;
    if (::syscall(SYS_get_mempolicy, &mode, mask.data(), bits, nullptr, 0ul) != 0) {
      if (errno == EINVAL) continue;
      return {};  // refused in some containers; nothing can have been set there either
    }
    std::vector<int> nodes;
    for (std::size_t node = 0; mode == MPOL_BIND && node < bits; ++node) {
      if (mask[node / detail::kPolicyBits] >> (node % detail::kPolicyBits) & 1ul)
        nodes.push_back(static_cast<int>(node));
    }
    return nodes;
  }
  return {};
}

// How many of a range's pages lie on which node.
struct PageCount {
  int error = 0;  // errno of a kernel that does not say; nothing was counted then
  std::uint64_t pages = 0;
  std::map<int, std::uint64_t> by_node;  // pages that are not there at all: in none

  [[nodiscard]] std::uint64_t on(int node) const {
    const auto found = by_node.find(node);
    return found == by_node.end() ? 0 : found->second;
  }
};

namespace detail {

// Calls visit(places, count) for all of the range's pages, some thousands at a time, until it says no.
template <class Visit>
void for_pages(void* memory, std::size_t bytes, const Visit& visit) {
  constexpr std::size_t kAtOnce = 16384;
  const std::size_t page = page_bytes();
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory) / page * page;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(memory) + bytes;
  std::vector<void*> places;
  for (std::uintptr_t at = begin; at < end;) {
    places.clear();
    for (; at < end && places.size() < kAtOnce; at += page) places.push_back(reinterpret_cast<void*>(at));
    if (!visit(places.data(), places.size())) return;
  }
}

}  // namespace detail

// Every page of the range, as move_pages(2) shows it. The memory is readable, and may be read.
inline PageCount count_pages(void* memory, std::size_t bytes) {
  PageCount count;
  std::vector<int> status, again(1);
  detail::for_pages(memory, bytes, [&](void** places, std::size_t pages) {
    status.assign(pages, -1);
    // Without target nodes the call moves nothing and only reports.
    if (::syscall(SYS_move_pages, 0, pages, places, nullptr, status.data(), 0) != 0) {
      count = {errno, 0, {}};
      return false;
    }
    count.pages += pages;
    for (std::size_t i = 0; i < pages; ++i) {
      // Pages that the kernel has made inaccessible to see who uses them (kernel.numa_balancing) look like
      // pages that are not there, until somebody does.
      if (status[i] < 0) {
        (void)*static_cast<const volatile char*>(places[i]);
        if (::syscall(SYS_move_pages, 0, 1ul, places + i, nullptr, again.data(), 0) == 0)
          status[i] = again[0];
      }
      if (status[i] >= 0) ++count.by_node[status[i]];
    }
    return true;
  });
  return count;
}

// Moves every page of the range to the node, as far as the kernel can: count_pages() says how far that was.
// 0, or the errno of a call that was refused.
inline int move_pages_to(void* memory, std::size_t bytes, int node) {
  int error = 0;
  std::vector<int> status, nodes;
  detail::for_pages(memory, bytes, [&](void** places, std::size_t pages) {
    status.assign(pages, 0);
    nodes.assign(pages, node);
    // Above 0: this many pages were not moved.
    if (::syscall(SYS_move_pages, 0, pages, places, nodes.data(), status.data(), MPOL_MF_MOVE) < 0)
      error = errno;
    return error == 0;
  });
  return error;
}

}  // namespace assay::plugins
