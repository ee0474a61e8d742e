// SPDX-License-Identifier: Apache-2.0
//
// How processes wait for a word in memory that they share.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace assay::wire {

// The longest sleep. It is bounded, so that no rank sleeps for ever if the one that should wake it dies; half of the
// 10 ms in which waits end after a death or a cancel.
inline constexpr long kPollNanoseconds = 5'000'000;

// Sleeps while the word is `expected`, or shorter.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  const timespec timeout{0, kPollNanoseconds};
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, expected, &timeout, nullptr, 0);
}

inline void futex_wake_all(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// The pause between two reads in a loop that spins.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace assay::wire
