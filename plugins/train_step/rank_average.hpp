// SPDX-License-Identifier: Apache-2.0
//
// The average of an array over ranks, in memory that they share: an all-reduce whose result has the same bits
// on every rank, because each element is summed by one rank, in the order of ranks.
#pragma once

#include "lib/rank_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

// Every rank copies its array into its part of the shared memory; then each sums its share of all parts
// (reduce-scatter), and takes the other shares from those who summed them (all-gather). So each rank reads
// (n-1)/n of the array twice, as a ring does.
class RankAverage {
 public:
  // Arrays in flight: a rank may begin one while others still take from the one before.
  static constexpr std::size_t kSlots = 2;

  // Of the shared memory, for arrays of so many elements at most.
  static std::size_t bytes(std::uint32_t ranks, std::size_t largest) {
    return ranks * (kPhases * sizeof(RankProgress) + kSlots * padded(largest) * sizeof(float));
  }

  // The largest array in each slot, where arrays of these sizes go into the slots in turn.
  static std::vector<std::size_t> slot_sizes(const std::vector<std::size_t>& sizes) {
    std::vector<std::size_t> largest(kSlots);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      largest[i % kSlots] = std::max(largest[i % kSlots], sizes[i]);
    return largest;
  }
  // What a rank has in use of the shared memory then: its own part, its share of the other parts, and what the
  // others summed.
  static std::uint64_t used_bytes(std::uint32_t ranks, const std::vector<std::size_t>& slots) {
    std::uint64_t elements = 0;
    for (const std::size_t slot : slots) elements += padded(slot) + 2 * padded(slot) * (ranks - 1) / ranks;
    return elements * sizeof(float);
  }

  // `memory` is bytes() of zeros that all ranks have mapped, aligned to a cache line. [any thread] `cancelled`
  // says that waiting is to end.
  RankAverage(std::byte* memory, std::uint32_t rank, std::uint32_t ranks, std::size_t largest, bool crowded,
              std::function<bool()> cancelled)
      : progress_(reinterpret_cast<RankProgress*>(memory)),
        parts_(reinterpret_cast<float*>(memory + ranks * kPhases * sizeof(RankProgress))),
        rank_(rank),
        ranks_(ranks),
        largest_(padded(largest)),
        spins_(crowded ? kSpinsCrowded : kSpins),
        cancelled_(std::move(cancelled)) {}

  // Every rank calls it with as many elements and the same slot, in the same order; from one thread at a time.
  // Throws Cancelled.
  void average(float* data, std::size_t count, std::size_t slot) {
    // The slot is free once everybody has taken what they needed of it.
    wait_for_all(kTaken, used_[slot]);
    used_[slot] = ++operations_;
    std::memcpy(part(rank_, slot), data, count * sizeof(float));
    raise(kGiven);
    wait_for_all(kGiven, operations_);
    const auto [from, to] = share(rank_, count);
    sum(slot, from, to);
    raise(kSummed);
    for (std::uint32_t other = 0; other < ranks_; ++other) {
      const auto [first, last] = share(other, count);
      wait_for(kSummed, other, operations_);
      if (first < last) std::memcpy(data + first, part(other, slot) + first, (last - first) * sizeof(float));
    }
    raise(kTaken);
  }

  // [any thread] Nobody waits any more, now or later: average() throws Cancelled.
  void stop() { stopped_ = true; }

 private:
  enum Phase : std::size_t { kGiven, kSummed, kTaken, kPhases };
  static constexpr std::size_t kLine = 16;  // floats

  static std::size_t padded(std::size_t count) { return (count + kLine - 1) / kLine * kLine; }

  std::pair<std::size_t, std::size_t> share(std::uint32_t rank, std::size_t count) const {
    const std::size_t lines = (count + kLine - 1) / kLine;
    return {std::min(count, lines * rank / ranks_ * kLine),
            std::min(count, lines * (rank + 1) / ranks_ * kLine)};
  }

  // In place of this rank's own numbers, which nobody else reads at these indices.
  void sum(std::size_t slot, std::size_t from, std::size_t to) {
    constexpr std::size_t kPiece = 1024;
    float sums[kPiece];
    for (std::size_t at = from; at < to; at += kPiece) {
      const std::size_t count = std::min(kPiece, to - at);
      std::memcpy(sums, part(0, slot) + at, count * sizeof(float));
      for (std::uint32_t other = 1; other < ranks_; ++other) {
        const float* of = part(other, slot) + at;
        for (std::size_t i = 0; i < count; ++i) sums[i] += of[i];
      }
      float* to_all = part(rank_, slot) + at;
      const auto n = static_cast<float>(ranks_);
      for (std::size_t i = 0; i < count; ++i) to_all[i] = sums[i] / n;
    }
  }

  float* part(std::uint32_t rank, std::size_t slot) const {
    return parts_ + (rank * kSlots + slot) * largest_;
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

}  // namespace assay::plugins::train_step
