// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wire/mailbox.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace assay::wire {

// Where a rank is within a visit; set_progress() takes an index.
inline constexpr std::array<std::string_view, 10> kPhaseNames = {
    "", "create", "probe", "prepare", "traits", "verify", "calibrate", "warmup", "sample", "release"};

// The memory that the ranks of one set share: barrier (also the start gate of samples), exchange buffer,
// progress words and the word that says a rank is dead. Made by the controller (memfd), inherited by the
// workers as kSegmentDescriptor; one for each rank set, even of one rank. Moving it while another thread uses it
// is a race.
class Segment {
 public:
  static constexpr int kRankLimit = 1024;

  // Throws Error "segment.unavailable", also for more than kRankLimit; std::invalid_argument below 1.
  static Segment create(int rank_count);
  // Takes the descriptor over, if it throws too. Throws Error "segment.malformed" if it is not a segment.
  static Segment attach(int descriptor);
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;
  ~Segment();

  [[nodiscard]] int descriptor() const;
  [[nodiscard]] int rank_count() const;

  // Every wait in the segment ends within 10 ms after these. The controller declares deaths (for good: the
  // set is then replaced) and cancels; a rank whose own part ended early cancels the others, too.
  void declare_dead(int rank);
  void declare_cancelled();
  void clear_cancelled();               // the controller, before a visit, with no rank inside a wait
  [[nodiscard]] int dead_rank() const;  // -1: none
  [[nodiscard]] bool cancelled() const;

  enum class Wait { done, dead, cancelled };
  // All ranks meet. Spins briefly, then sleeps on a futex (there may be more ranks than cores). A death wins
  // over a cancel.
  Wait barrier(int rank);
  // Collective copies through the exchange buffer, in pieces if need be. All ranks pass the same bytes and
  // root. After anything but done the memory that was to be filled is unspecified. If ranks meet in different
  // calls, all are cancelled, and disagreement() says in which.
  Wait broadcast(int rank, void* data, std::size_t bytes, int root);
  Wait allgather(int rank, const void* mine, void* all, std::size_t bytes);

  // One rank's bytes to another one: both wait until all have arrived, or until deadline_ns of the monotonic clock
  // (0: none). One thread of a rank at a time.
  TransferStatus send(int rank, int to, const void* data, std::size_t bytes, std::int64_t deadline_ns);
  TransferStatus receive(int rank, int from, void* data, std::size_t bytes, std::int64_t deadline_ns);

  // "rank 2 takes part in a barrier, rank 0 in a broadcast of 8 bytes from rank 0", or "".
  [[nodiscard]] std::string disagreement() const;

  // Progress of a rank, written by it, read by the controller after a death: phase (index into kPhaseNames)
  // and samples so far.
  void set_progress(int rank, int phase, std::uint64_t samples);
  [[nodiscard]] std::pair<int, std::uint64_t> progress(int rank) const;
  // Whether a rank waits for others here, or did until the wait was ended by a death or a cancel.
  [[nodiscard]] bool waits(int rank) const;

  // Space for the text of a rank that dies, NUL-terminated: its signal handler writes it, the controller reads it after
  // the death. All zero at first.
  static constexpr std::size_t kCrashReport = 4096;
  [[nodiscard]] std::span<char> crash_report(int rank) const;

  // Whether the words that no rank may change are unchanged, and the others have possible values. A plugin that
  // writes outside of its own memory can reach this segment; waits then end at the visit's timeout at the latest.
  [[nodiscard]] bool intact() const;

 private:
  struct Header;
  struct RankWords;
  struct Call;

  Segment(int descriptor, void* memory, std::size_t bytes);
  static std::size_t whole_bytes(int rank_count);
  [[nodiscard]] Header& header() const;
  [[nodiscard]] RankWords& words(int rank) const;
  [[nodiscard]] char* exchange() const;
  [[nodiscard]] Mailbox& mailbox(int rank) const;
  [[nodiscard]] std::optional<TransferStatus> interruption() const;
  TransferStatus waited(int rank, TransferStatus passed);
  [[nodiscard]] bool interrupted(Wait& why) const;
  Wait meet(int rank, const Call& call);
  Wait meet();
  [[nodiscard]] bool calls_differ() const;
  void release();

  int descriptor_ = -1;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  int rank_count_ = 0;  // not read from the memory again
  int spins_ = 0;
};

}  // namespace assay::wire
