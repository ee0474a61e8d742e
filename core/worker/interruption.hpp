// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wire/segment.hpp"

#include <atomic>
#include <cstdint>

namespace assay::worker {

// Whether the visit in hand should end, and why. Written by the control thread, read by any thread of the
// plugin.
class Interruption {
 public:
  enum class Cause { none, cancelled, timed_out, rank_died };

  // The set's segment, or nullptr; outlives this.
  explicit Interruption(wire::Segment* segment) : segment_(segment) {}

  // Visits count up, so a late word about an old one does no harm.
  void cancel(std::uint64_t number) {
    cancelled_.store(number, std::memory_order_relaxed);
    wake();
  }
  void time_out(std::uint64_t number) {
    timed_out_.store(number, std::memory_order_relaxed);
    wake();
  }

  [[nodiscard]] bool wanted(std::uint64_t number) const { return cause(number) != Cause::none; }

  [[nodiscard]] Cause cause(std::uint64_t number) const {
    if (segment_ != nullptr && segment_->dead_rank() >= 0) return Cause::rank_died;
    if (timed_out_.load(std::memory_order_relaxed) >= number) return Cause::timed_out;
    if (cancelled_.load(std::memory_order_relaxed) >= number) return Cause::cancelled;
    if (segment_ != nullptr && segment_->cancelled()) return Cause::cancelled;
    return Cause::none;
  }

 private:
  // Ranks that wait for each other look at the segment only.
  void wake() {
    if (segment_ != nullptr && segment_->rank_count() > 1) segment_->declare_cancelled();
  }

  wire::Segment* segment_;
  std::atomic<std::uint64_t> cancelled_{0};
  std::atomic<std::uint64_t> timed_out_{0};
};

}  // namespace assay::worker
