// SPDX-License-Identifier: Apache-2.0
#include "wire/mailbox.hpp"

#include "text/clock.hpp"
#include "wire/futex.hpp"

#include <algorithm>
#include <cstring>

namespace assay::wire {
namespace {}  // namespace

template <class Ready>
TransferStatus Mailbox::wait(const Limits& limits, bool with_deadline, const Ready& ready) {
  for (int spin = 0; spin < limits.spins; ++spin) {
    if (ready(state_.load(std::memory_order_acquire))) return TransferStatus::done;
    relax();
  }
  for (;;) {
    const std::uint32_t seen = state_.load(std::memory_order_acquire);
    if (ready(seen)) return TransferStatus::done;
    if (const auto why = limits.interruption()) return *why;
    if (with_deadline && limits.deadline_ns != 0 && monotonic_ns() >= limits.deadline_ns)
      return TransferStatus::timed_out;
    futex_wait(state_, seen);
  }
}

TransferStatus Mailbox::send(int to, const void* data, std::size_t bytes, const Limits& limits) {
  const auto addressed = static_cast<std::uint32_t>(to) + 1;
  const auto answered = [&](std::uint32_t state) { return state != addressed && state != kTaking; };
  bytes_.store(bytes, std::memory_order_relaxed);
  std::size_t done = 0;
  do {
    const std::size_t piece = std::min(kPieceBytes, bytes - done);
    if (piece > 0) std::memcpy(piece_, static_cast<const char*>(data) + done, piece);
    state_.store(addressed, std::memory_order_release);
    futex_wake_all(state_);
    // Who has taken a piece waits for the next one, so only the first can be late.
    TransferStatus passed = wait(limits, done == 0, answered);
    if (passed == TransferStatus::timed_out) {
      std::uint32_t expected = addressed;
      if (state_.compare_exchange_strong(expected, kEmpty)) return passed;
      passed = wait(limits, false, answered);  // it is being taken after all
    }
    if (passed != TransferStatus::done) return passed;
    if (state_.load() == kRefused) {
      state_.store(kEmpty);
      return TransferStatus::refused;
    }
    done += piece;
  } while (done < bytes);
  return TransferStatus::done;
}

TransferStatus Mailbox::receive(int me, void* data, std::size_t bytes, const Limits& limits) {
  const auto mine = static_cast<std::uint32_t>(me) + 1;
  std::size_t done = 0;
  do {
    // A sender that gives up takes its piece back; then another one is waited for.
    for (std::uint32_t expected = mine;; expected = mine) {
      const TransferStatus passed =
          wait(limits, done == 0, [&](std::uint32_t state) { return state == mine; });
      if (passed != TransferStatus::done) return passed;
      if (state_.compare_exchange_strong(expected, kTaking)) break;
    }
    const bool fits = bytes_.load(std::memory_order_relaxed) == bytes;
    const std::size_t piece = std::min(kPieceBytes, bytes - done);
    if (fits && piece > 0) std::memcpy(static_cast<char*>(data) + done, piece_, piece);
    state_.store(fits ? kEmpty : kRefused, std::memory_order_release);
    futex_wake_all(state_);
    if (!fits) return TransferStatus::refused;
    done += piece;
  } while (done < bytes);
  return TransferStatus::done;
}

}  // namespace assay::wire
