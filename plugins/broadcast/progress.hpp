// SPDX-License-Identifier: Apache-2.0
//
// How workers wait for each other: always for a counter that only grows, and never longer than until all are
// asked to stop.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace assay::plugins::broadcast {

// Leaves a worker's work early, because the case was cancelled or another worker failed.
struct Stopped {};

// Looks again and again, because what is waited for takes microseconds, then gives the processor away between
// looks. Where workers share processors the one that is waited for may need this one: nobody spins.
class Waiting {
 public:
  Waiting(const std::atomic<bool>& stop, bool crowded) : stop_(&stop), looks_(crowded ? 0 : kLooks) {}

  void check() const {
    if (stop_->load(std::memory_order_relaxed)) throw Stopped();
  }

  // Throws Stopped.
  void until(const std::atomic<std::uint64_t>& counter, std::uint64_t least) const {
    for (int looks = 0; counter.load(std::memory_order_acquire) < least; ++looks) {
      check();
      if (looks >= looks_) std::this_thread::yield();
    }
  }

 private:
  static constexpr int kLooks = 2000;
  const std::atomic<bool>* stop_;
  int looks_;
};

// How many copies each worker has made, like an event after each of them. A line of its own for each: waiting
// for one disturbs no other.
class Progress {
 public:
  explicit Progress(int workers) : counters_(static_cast<std::size_t>(workers)) {}

  void advance(int worker) { at(worker).fetch_add(1, std::memory_order_release); }
  [[nodiscard]] const std::atomic<std::uint64_t>& of(int worker) const {
    return counters_[static_cast<std::size_t>(worker)].made;
  }

 private:
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> made{0};
  };

  std::atomic<std::uint64_t>& at(int worker) { return counters_[static_cast<std::size_t>(worker)].made; }

  std::vector<Counter> counters_;
};

// Where all members meet, for the first time, the second, and so on.
class Meeting {
 public:
  explicit Meeting(int members) : members_(static_cast<std::uint64_t>(members)) {}

  // `time` counts from 0, for each member by itself. Throws Stopped.
  void meet(std::uint64_t time, const Waiting& waiting) {
    arrived_.fetch_add(1, std::memory_order_acq_rel);
    waiting.until(arrived_, (time + 1) * members_);
  }

 private:
  const std::uint64_t members_;
  alignas(64) std::atomic<std::uint64_t> arrived_{0};
};

}  // namespace assay::plugins::broadcast
