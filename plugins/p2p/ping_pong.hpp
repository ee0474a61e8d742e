// SPDX-License-Identifier: Apache-2.0
//
// A cache line that two threads hand to and fro.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace assay::plugins::p2p {

struct alignas(64) CacheLine {
  std::uint64_t turn;  // how often it was handed over; through std::atomic_ref while two threads use it
  std::uint64_t word;  // goes along, and every hand-over adds 1
};

// From one line to the next: each has a page of its own, so that the neighbour line, which is often fetched
// along, is nobody's, and who touches it first decides on which node it lies.
inline std::size_t line_stride(std::size_t page_bytes) { return std::max<std::size_t>(4096, page_bytes); }

// What the line of one pair carries at first: it says between which places, and of which seed.
inline std::uint64_t word_between(std::uint64_t from, std::uint64_t to, std::uint64_t seed) {
  std::uint64_t word = (from << 32 | to) + seed * 0x9E3779B97F4A7C15ull;
  word = (word ^ (word >> 31)) * 0xBF58476D1CE4E5B9ull;
  return word ^ (word >> 29);
}

// Waits until it is so and so many hand-overs; false if `give_up()` said so before. It spins without a pause
// instruction, which would round up what is measured, and after a while yields: the other thread may have no
// processor.
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

// The two sides of so many round trips, from the turn at which the line is. False if one was given up; who
// leads asks from time to time even if it never has to wait long.
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
