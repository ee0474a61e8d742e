// SPDX-License-Identifier: Apache-2.0
//
// How threads and processes that share memory sleep until another one has changed something in it.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace assay::plugins::loader {

// Lies in the shared memory. Whoever waits reads heard() first, then looks at what it waits for, then calls
// wait(): a ring after heard() ends the wait at once, so none is lost. Any thread or process.
class Bell {
 public:
  std::uint32_t heard() const { return rings_.load(); }

  // Wakes at most this many of those that wait. Call it after the change.
  void ring(int sleepers = 1) {
    rings_.fetch_add(1);
    ::syscall(SYS_futex, word(), FUTEX_WAKE, sleepers, nullptr, nullptr, 0);
  }
  void ring_all() { ring(INT_MAX); }

  // Returns at a ring since heard(), after so long, or for no reason: look again.
  void wait(std::uint32_t heard, std::int64_t at_most_ns) {
    timespec limit{};
    limit.tv_sec = static_cast<std::time_t>(at_most_ns / 1000000000);
    limit.tv_nsec = static_cast<long>(at_most_ns % 1000000000);
    ::syscall(SYS_futex, word(), FUTEX_WAIT, heard, &limit, nullptr, 0);
  }

 private:
  std::uint32_t* word() { return reinterpret_cast<std::uint32_t*>(&rings_); }

  std::atomic<std::uint32_t> rings_{0};
  static_assert(sizeof(std::atomic<std::uint32_t>) == 4 && std::atomic<std::uint32_t>::is_always_lock_free);
};

}  // namespace assay::plugins::loader
