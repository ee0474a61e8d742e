// SPDX-License-Identifier: Apache-2.0
//
// Carries out a schedule: the timed region.
#pragma once

#include "broadcast/progress.hpp"
#include "broadcast/schedule.hpp"
#include "broadcast/workers.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace assay::plugins::broadcast {

// Where the payload is, and where it goes: one buffer for each worker.
struct Memory {
  const std::byte* source = nullptr;
  std::vector<std::byte*> destinations;

  [[nodiscard]] const std::byte* from(int place) const { return place == kSource ? source : to(place); }
  [[nodiscard]] std::byte* to(int worker) const { return destinations[static_cast<std::size_t>(worker)]; }
};

using Now = std::function<std::int64_t()>;
using Cancelled = std::function<bool()>;
// Told of every copy, by the worker that made it.
using Listener =
    std::function<void(int worker, const Copy& copy, std::int64_t begin_ns, std::int64_t end_ns)>;

struct Region {
  bool complete = false;  // false: cancelled
  std::int64_t begin_ns = 0, end_ns = 0;
};

// Checks between blocks whether to stop. A block is so large that the C library, which chooses its instructions by
// size, copies it as it copies the whole buffer.
inline void make_copy(const Copy& copy, const Memory& memory, const Waiting& waiting) {
  constexpr std::uint64_t kBlock = std::uint64_t{256} << 20;
  for (std::uint64_t at = copy.begin; at < copy.end; at += kBlock) {
    waiting.check();
    const std::uint64_t bytes = std::min(kBlock, copy.end - at);
    std::memcpy(memory.to(copy.to) + at, memory.from(copy.from) + at, bytes);
  }
}

// `rounds` broadcasts one after the other: none begins before the one before it is everywhere. Waking the
// workers is not in the region. Throws what a worker throws, if only the listener.
inline Region run_rounds(Workers& workers, const Schedule& schedule, const Memory& memory,
                         std::uint64_t rounds, const Now& now, const Cancelled& cancelled,
                         const Listener& listener = {}) {
  const int lead = schedule.plan().root;
  int members = 0;
  for (int worker = 0; worker < workers.size(); ++worker) members += schedule.copies(worker) > 0 ? 1 : 0;

  Region region;
  Progress progress(workers.size());
  Meeting meeting(members);
  alignas(64) std::atomic<std::uint64_t> begun{0};
  const auto work = [&](int worker) {
    const std::uint64_t copies = schedule.copies(worker);
    if (copies == 0) return;  // it sleeps, and is in nobody's way
    const Waiting waiting = workers.waiting();
    meeting.meet(0, waiting);
    // Nobody copies before the clock was read: where CPUs are shared, the lead may be the last to go on.
    if (worker == lead) {
      region.begin_ns = now();
      begun.store(1, std::memory_order_release);
    } else {
      waiting.until(begun, 1);
    }
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (std::uint64_t i = 0; i < copies; ++i) {
        const Copy copy = schedule.copy(worker, i);
        if (copy.from != kSource) {
          waiting.until(progress.of(copy.from), round * schedule.copies(copy.from) + copy.after);
        }
        const std::int64_t begin = listener ? now() : 0;
        make_copy(copy, memory, waiting);
        if (listener) listener(worker, copy, begin, now());
        progress.advance(worker);
      }
      meeting.meet(round + 1, waiting);
    }
    if (worker == lead) region.end_ns = now();
  };
  region.complete = workers.run(work, cancelled);
  return region;
}

}  // namespace assay::plugins::broadcast
