// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace assay::plugins::chase {

// A cache line that points to the next one. 128 bytes, because the neighbour line is often fetched along.
struct alignas(128) Node {
  Node* next;
};

inline constexpr std::size_t kNodesBetweenLooks = std::size_t{1} << 18;  // 30 ms of misses

// Links `count` nodes into one cycle in random order (Sattolo's algorithm), so that each load depends on the
// one before and no prefetcher can guess it. `random(bound)` gives a uniform number below bound. False: it
// was left unfinished, because `go_on()`, which is asked now and then, said no.
template <typename Random, typename GoOn>
[[nodiscard]] bool link_cycle(Node* nodes, std::size_t count, Random&& random, GoOn&& go_on) {
  for (std::size_t i = 0; i < count; ++i) {
    if (i % kNodesBetweenLooks == 0 && !go_on()) return false;
    nodes[i].next = nodes + i;
  }
  for (std::size_t i = count - 1; i > 0; --i) {
    if (i % kNodesBetweenLooks == 0 && !go_on()) return false;
    std::swap(nodes[i].next, nodes[random(i)].next);
  }
  return true;
}

// Follows `loads` pointers from `start`.
inline const Node* follow(const Node* start, std::uint64_t loads) {
  const Node* node = start;
  for (; loads >= 8; loads -= 8) {
    node = node->next->next->next->next->next->next->next->next;
    __asm__ volatile("" : "+r"(node));  // the chain is neither dropped nor merged
  }
  for (; loads > 0; --loads) node = node->next;
  __asm__ volatile("" : "+r"(node));
  return node;
}

struct Cycle {
  std::size_t length = 1;  // nodes
  std::size_t place = 0;   // pointers from its start to the node that was looked for; 0 if that is not met
};

// The cycle through `start`, and where `wanted` is on it; counts at most `limit` nodes, and no further once
// `go_on()` says no.
template <typename GoOn>
Cycle look_at_cycle(const Node* start, const Node* wanted, std::size_t limit, GoOn&& go_on) {
  Cycle cycle;
  for (const Node* node = start->next; node != start && cycle.length <= limit; node = node->next) {
    if (node == wanted) cycle.place = cycle.length;
    if (cycle.length % kNodesBetweenLooks == 0 && !go_on()) return cycle;
    ++cycle.length;
  }
  return cycle;
}

}  // namespace assay::plugins::chase
