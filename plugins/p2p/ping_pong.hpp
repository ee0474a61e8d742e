// SPDX-License-Identifier: Apache-2.0
//
// Ping-pong: two threads pass a cache line to and fro.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace assay::plugins::p2p {

struct alignas(64) CacheLine {
  std::uint64_t turn;  // how often it was handed over; through std::atomic_ref while two threads use it
  std::uint64_t word;  // travels with the line; each hand-over adds 1
};

// The distance between two lines. Each has a page of its own: CPUs often prefetch the neighbouring line, which
// must not be in use, and the thread that touches a page first decides on which node it is.
inline std::size_t line_stride(std::size_t page_bytes) { return std::max<std::size_t>(4096, page_bytes); }

// The initial content of the line of one pair, which depends on the two places and the seed.
inline std::uint64_t word_between(std::uint64_t from, std::uint64_t to, std::uint64_t seed) {
  std::uint64_t word = (from << 32 | to) + seed * 0x9E3779B97F4A7C15ull;
  word = (word ^ (word >> 31)) * 0xBF58476D1CE4E5B9ull;
  return word ^ (word >> 29);
}

// Waits until the line was handed over `turn` times; false if `give_up()` became true first. Spins without a pause
// instruction, which would lengthen what is measured, and yields after a while, because the other thread may
// have no processor.
template <class GiveUp>
bool wait_for_turn(CacheLine& line, std::uint64_t turn, const GiveUp& give_up) {
  constexpr int kSpins = 20000;
  const std::atomic_ref<std::uint64_t> now(line.turn);
  for (int spins = 0; now.load(std::memory_order_acquire) != turn;) {
    if (spins < kSpins) {
      ++spins;
      continue;
    }
    if (give_up()) return false;
    std::this_thread::yield();
  }
  return true;
}

inline void hand_over(CacheLine& line, std::uint64_t turn) {
  ++line.word;
  std::atomic_ref<std::uint64_t>(line.turn).store(turn, std::memory_order_release);
}

// The two sides of this many round trips, beginning at the line's present turn. False if one was given up; lead()
// calls `give_up` from time to time even if it never waits for long.
template <class GiveUp>
bool lead(CacheLine& line, std::uint64_t turn, std::uint64_t round_trips, const GiveUp& give_up) {
  for (; round_trips > 0; --round_trips, turn += 2) {
    hand_over(line, turn + 1);
    if (!wait_for_turn(line, turn + 2, give_up)) return false;
    if (round_trips % 8192 == 0 && give_up()) return false;
  }
  return true;
}
template <class GiveUp>
bool answer(CacheLine& line, std::uint64_t turn, std::uint64_t round_trips, const GiveUp& give_up) {
  for (; round_trips > 0; --round_trips, turn += 2) {
    if (!wait_for_turn(line, turn + 1, give_up)) return false;
    hand_over(line, turn + 2);
  }
  return true;
}

}  // namespace assay::plugins::p2p
