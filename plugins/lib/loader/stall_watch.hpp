// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/loader/batch_queue.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::plugins::loader {

// Finds workers that hang: those that tick neither at work nor, every tenth of a second, while they wait for it.
class StallWatch {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  // A worker that does not tick for this long hangs.
  StallWatch(std::uint32_t workers, double limit_s) : seen_(workers), limit_(limit_s) {}

  // Counts anew: workers were started.
  void reset(const BatchQueue& queue, Moment now) {
    for (std::uint32_t worker = 0; worker < seen_.size(); ++worker)
      seen_[worker] = {queue.ticks(worker), now};
    looked_ = now;
  }

  // One that hangs. To be called again and again: after a pause that is long beside the limit it counts anew,
  // because then this process may have been stopped, and its workers with it.
  std::optional<std::uint32_t> look(const BatchQueue& queue, Moment now) {
    if (now - looked_ > limit_ / 2) reset(queue, now);
    looked_ = now;
    for (std::uint32_t worker = 0; worker < seen_.size(); ++worker) {
      Seen& seen = seen_[worker];
      const std::uint64_t ticks = queue.ticks(worker);
      if (ticks != seen.ticks || queue.has_left(worker)) {
        seen = {ticks, now};
      } else if (now - seen.moved >= limit_) {
        return worker;
      }
    }
    return std::nullopt;
  }

 private:
  struct Seen {
    std::uint64_t ticks = 0;
    Moment moved;
  };
  std::vector<Seen> seen_;
  std::chrono::duration<double> limit_;
  Moment looked_;
};

}  // namespace assay::plugins::loader
