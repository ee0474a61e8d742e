// SPDX-License-Identifier: Apache-2.0
//
// What ranks move between each other, in memory that they share: the average of an array, the average of which
// each rank keeps its share, and the array that their shares make up. Results have the same bits on every rank,
// because each element is summed by one rank, in the order of ranks.
#pragma once

#include "lib/half.hpp"
#include "lib/model/sharding.hpp"
#include "lib/rank_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

// Every rank has a part of the shared memory, in which it gives its array, or its share, to the others. Each
// sums its share of all parts (reduce-scatter), and takes the other shares from those who have them
// (all-gather). So each rank reads (n-1)/n of an array once in either, as in a ring.
class RankExchange {
 public:
  // Arrays in flight: a rank may begin one while others still take from the one before.
  static constexpr std::size_t kSlots = 2;

  enum class Kind { average, reduce_scatter, all_gather };
  struct Use {
    Kind kind = Kind::average;
    std::size_t count = 0, slot = 0;
    std::size_t element_bytes = sizeof(float);
  };

  // Of the shared memory, for arrays of this many elements at most.
  static std::size_t bytes(std::uint32_t ranks, std::size_t largest) {
    return ranks * (kPhases * sizeof(RankProgress) + kSlots * padded(largest) * sizeof(float));
  }
  // What a rank reads or writes of the shared memory when it is used so.
  static std::uint64_t used_bytes(std::uint32_t rank, std::uint32_t ranks, const std::vector<Use>& uses);

  // `memory` is bytes() of zeros that all ranks have mapped, aligned to a cache line. [any thread] `cancelled`
  // says that waiting is to end.
  RankExchange(std::byte* memory, std::uint32_t rank, std::uint32_t ranks, std::size_t largest, bool crowded,
               std::function<bool()> cancelled)
      : progress_(reinterpret_cast<RankProgress*>(memory)),
        parts_(reinterpret_cast<float*>(memory + ranks * kPhases * sizeof(RankProgress))),
        rank_(rank),
        ranks_(ranks),
        largest_(padded(largest)),
        spins_(crowded ? kSpinsCrowded : kSpins),
        cancelled_(std::move(cancelled)) {}

  // Every rank calls these with as many elements and the same slot, in the same order; from one thread at a time.
  // They throw Cancelled.

  // The average takes the place of the array. Halves are summed in single precision, and their average is one.
  template <class Element>
  void average(Element* data, std::size_t count, std::size_t slot) {
    static_assert(std::is_same_v<Element, float> || std::is_same_v<Element, Half>);
    give(data, {0, count}, slot, kGiven);
    wait_for_all(kGiven, operations_);
    const model::Share mine = share(rank_, count);
    // In place of this rank's own numbers, which nobody else reads at these indices.
    Element* own = part<Element>(rank_, slot);
    for_each_average<Element>(slot, mine, [&](std::size_t at, std::size_t size, const float* averages) {
      for (std::size_t i = 0; i < size; ++i) own[at + i] = narrowed<Element>(averages[i]);
    });
    raise(kReady);
    take(data, count, slot);
  }

  // `shares` becomes (or, to `add`, grows by) this rank's share of the average.
  void reduce_scatter(const float* data, std::size_t count, float* shares, bool add, std::size_t slot) {
    give(data, {0, count}, slot, kGiven);
    wait_for_all(kGiven, operations_);
    const model::Share mine = share(rank_, count);
    for_each_average<float>(slot, mine, [&](std::size_t at, std::size_t size, const float* averages) {
      float* to = shares + (at - mine.from);
      for (std::size_t i = 0; i < size; ++i) to[i] = add ? to[i] + averages[i] : averages[i];
    });
    raise(kTaken);
  }

  // `data` becomes the array that all shares make up; `mine` is this rank's, and may lie in `data`.
  void all_gather(const float* mine, float* data, std::size_t count, std::size_t slot) {
    const model::Share own = share(rank_, count);
    give(mine, own, slot, kReady);
    take(data, count, slot);
  }

  // [any thread] Nobody waits any more, now or later: what waits throws Cancelled.
  void stop() { stopped_ = true; }

 private:
  // Of an operation: a rank has given its array; what others may take of it is there; it has taken what it needs.
  enum Phase : std::size_t { kGiven, kReady, kTaken, kPhases };
  static constexpr std::size_t kLine = 16;  // floats

  static std::size_t padded(std::size_t count) { return (count + kLine - 1) / kLine * kLine; }
  model::Share share(std::uint32_t rank, std::size_t count) const {
    return model::share_of(count, rank, ranks_);
  }

  // Begins an operation: `data` goes into these places of this rank's part.
  template <class Element>
  void give(const Element* data, model::Share places, std::size_t slot, Phase phase) {
    // The slot is free once everybody has taken what they needed of it.
    wait_for_all(kTaken, used_[slot]);
    used_[slot] = ++operations_;
    if (places.size() != 0)
      std::memcpy(part<Element>(rank_, slot) + places.from, data, places.size() * sizeof(Element));
    raise(phase);
  }

  // Ends an operation: every rank's share goes to its place in `data`.
  template <class Element>
  void take(Element* data, std::size_t count, std::size_t slot) {
    for (std::uint32_t other = 0; other < ranks_; ++other) {
      const model::Share of = share(other, count);
      wait_for(kReady, other, operations_);
      if (of.size() != 0)
        std::memcpy(data + of.from, part<Element>(other, slot) + of.from, of.size() * sizeof(Element));
    }
    raise(kTaken);
  }

  // Calls body(first element, how many, their averages) for pieces of the places.
  template <class Element, class Body>
  void for_each_average(std::size_t slot, model::Share places, const Body& body) {
    constexpr std::size_t kPiece = 1024;
    float sums[kPiece];
    for (std::size_t at = places.from; at < places.to; at += kPiece) {
      const std::size_t count = std::min(kPiece, places.to - at);
      const Element* first = part<Element>(0, slot) + at;
      for (std::size_t i = 0; i < count; ++i) sums[i] = widened(first[i]);
      for (std::uint32_t other = 1; other < ranks_; ++other) {
        const Element* of = part<Element>(other, slot) + at;
        for (std::size_t i = 0; i < count; ++i) sums[i] += widened(of[i]);
      }
      const auto n = static_cast<float>(ranks_);
      for (std::size_t i = 0; i < count; ++i) sums[i] /= n;
      body(at, count, sums);
    }
  }

  static float widened(float x) { return x; }
  static float widened(Half x) { return to_float(x); }
  template <class Element>
  static Element narrowed(float x) {
    if constexpr (std::is_same_v<Element, Half>) {
      return to_half(x);
    } else {
      return x;
    }
  }

  // Elements are trivial, and a slot is used as one type at a time.
  template <class Element>
  Element* part(std::uint32_t rank, std::size_t slot) const {
    return reinterpret_cast<Element*>(parts_ + (rank * kSlots + slot) * largest_);
  }
  RankProgress& progress(Phase phase, std::uint32_t rank) const { return progress_[rank * kPhases + phase]; }
  void raise(Phase phase) { progress(phase, rank_).raise(operations_); }
  void wait_for_all(Phase phase, std::uint32_t count) {
    for (std::uint32_t other = 0; other < ranks_; ++other) wait_for(phase, other, count);
  }
  void wait_for(Phase phase, std::uint32_t rank, std::uint32_t count) {
    progress(phase, rank).wait_for(count, spins_, [this] { return stopped_.load() || cancelled_(); });
  }

  RankProgress* progress_;
  float* parts_;
  std::uint32_t rank_, ranks_;
  std::size_t largest_;
  int spins_;
  std::function<bool()> cancelled_;
  std::atomic<bool> stopped_{false};
  std::uint32_t operations_ = 0;              // wraps, as progress does
  std::array<std::uint32_t, kSlots> used_{};  // the last operation of each slot
};

inline std::uint64_t RankExchange::used_bytes(std::uint32_t rank, std::uint32_t ranks,
                                              const std::vector<Use>& uses) {
  std::uint64_t bytes = 0;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    for (std::uint32_t of = 0; of < ranks; ++of) {
      std::vector<std::pair<std::size_t, std::size_t>> touched;  // of that rank's part
      for (const Use& use : uses) {
        if (use.slot != slot) continue;
        const std::size_t size = use.element_bytes;
        const bool whole = of == rank && use.kind != Kind::all_gather;
        const model::Share theirs =
            whole ? model::Share{0, use.count} : model::share_of(use.count, of, ranks);
        const model::Share mine = model::share_of(use.count, rank, ranks);
        if (whole || use.kind != Kind::reduce_scatter)
          touched.emplace_back(theirs.from * size, theirs.to * size);
        if (use.kind != Kind::all_gather) touched.emplace_back(mine.from * size, mine.to * size);
      }
      std::sort(touched.begin(), touched.end());
      std::size_t end = 0;
      for (const auto& [from, to] : touched) {
        if (to > end) bytes += to - std::max(from, end);
        end = std::max(end, to);
      }
    }
  }
  return bytes;
}

}  // namespace assay::plugins::train_step
