// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::wire {

// The memory that the ranks of one set share: barrier, start gate, exchange buffer, each rank's ring of times, progress words and
// the word that says a rank is dead. Made by the controller (memfd), inherited by the workers; one per rank set.
class Segment {
 public:
  static Segment create(int rank_count);          // throws Error "segment.unavailable"
  static Segment attach(int descriptor);          // throws Error "segment.malformed"
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;
  ~Segment();

  [[nodiscard]] int descriptor() const;
  [[nodiscard]] int rank_count() const;

  // The controller only: rank r is dead (or the visit is cancelled); every wait in the segment ends within 10 ms.
  void declare_dead(int rank);
  void declare_cancelled();
  void clear_cancelled();                          // before a visit, with no rank inside a wait
  [[nodiscard]] int dead_rank() const;             // -1: none
  [[nodiscard]] bool cancelled() const;

  enum class Wait { done, dead, cancelled };
  // All ranks meet. Spins briefly, then sleeps on a futex (there may be more ranks than cores).
  Wait barrier(int rank);
  // Collective copies through the exchange buffer, in pieces if need be.
  Wait broadcast(int rank, void* data, std::size_t bytes, int root);
  Wait allgather(int rank, const void* mine, void* all, std::size_t bytes);

  // Progress of a rank, written by it, read by the controller after a death: phase (index into phase_names) and samples so far.
  void set_progress(int rank, int phase, std::uint64_t samples);
  [[nodiscard]] std::pair<int, std::uint64_t> progress(int rank) const;

 private:
  explicit Segment(int descriptor, void* memory, std::size_t bytes);
  int descriptor_ = -1;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace assay::wire
