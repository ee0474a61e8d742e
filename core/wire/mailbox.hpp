// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace assay::wire {

// How a message between two ranks ended. timed_out: nothing arrived. refused: the two sides state different sizes;
// both get this status.
enum class TransferStatus { done, dead, cancelled, timed_out, refused };

// What one rank sends, in memory that all ranks share: one message at a time, in pieces that the receiver takes one by
// one. Plain memory that is zero at first.
class Mailbox {
 public:
  struct Limits {
    std::int64_t deadline_ns = 0;  // of the monotonic clock, for the message to begin to be taken; 0: none
    int spins = 0;                 // before it sleeps
    std::function<std::optional<TransferStatus>()> interruption;  // dead or cancelled, or nothing
  };

  // Called by the rank that owns the mailbox.
  TransferStatus send(int to, const void* data, std::size_t bytes, const Limits& limits);
  // Called by rank `me`, to receive from the owner.
  TransferStatus receive(int me, void* data, std::size_t bytes, const Limits& limits);
  // Called while no rank sends or receives.
  void clear() { state_.store(kEmpty); }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{16} << 10;
  // state_ is the receiver's number plus one while a piece waits for it, or one of these.
  static constexpr std::uint32_t kEmpty = 0, kTaking = ~std::uint32_t{0}, kRefused = kTaking - 1;

  template <class Ready>
  TransferStatus wait(const Limits& limits, bool with_deadline, const Ready& ready);

  alignas(64) std::atomic<std::uint32_t> state_;  // the futex
  std::atomic<std::uint64_t> bytes_;              // of the message
  char piece_[kPieceBytes];
};

}  // namespace assay::wire
