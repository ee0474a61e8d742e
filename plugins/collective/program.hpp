// SPDX-License-Identifier: Apache-2.0
//
// An algorithm as it is written down: one list of steps, which becomes the schedule of every rank.
#pragma once

#include "collective/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay::plugins::collective {

struct Stretch {
  std::size_t at = 0, count = 0;
};

// The steps in the order in which they are written down.
class Program {
 public:
  explicit Program(const Call& call) : call_(call) {}

  std::uint32_t ranks() const { return call_.ranks; }
  std::uint32_t after(std::uint32_t rank, std::uint32_t by) const { return (rank + by) % call_.ranks; }
  Place send(std::uint32_t rank, std::size_t at = 0) const { return {rank, call_.layouts[rank].send + at}; }
  Place receive(std::uint32_t rank, std::size_t at = 0) const {
    return {rank, call_.layouts[rank].receive + at};
  }
  Place scratch(std::uint32_t rank, std::size_t at = 0) const {
    return {rank, call_.layouts[rank].scratch + at};
  }

  // One of `ranks` stretches that make up the whole.
  Stretch piece(std::uint32_t index) const {
    const std::size_t begin = call_.counts.whole * index / call_.ranks;
    return {begin, call_.counts.whole * (index + 1) / call_.ranks - begin};
  }
  Stretch part(std::uint32_t index) const { return {call_.counts.part * index, call_.counts.part}; }

  template <class Body>
  void each_chunk(Body&& body) const {
    for (std::size_t at = 0; at < call_.counts.whole; at += call_.chunk)
      body(Stretch{at, std::min(call_.chunk, call_.counts.whole - at)});
  }

  void copy(std::uint32_t rank, const Place& from, const Place& to, std::size_t count) {
    if (from.rank == to.rank && from.at == to.at) return;  // in place: it is there
    add(rank, {from, {}, to.at, count, false, false, {}});
  }
  void combine(std::uint32_t rank, const Place& from, const Place& with, const Place& to, std::size_t count,
               bool completes) {
    add(rank, {from, with, to.at, count, true, completes, {}});
  }

  // Every rank calls begin() first: its input is ready, and results that it holds for others may be overwritten. It
  // calls end() last: nobody touches its buffers until it begins again.
  void begin() { own_buffers(); }
  void end() { own_buffers(); }

  // Every step with what it waits for.
  Schedule with_waits() const;

 private:
  void add(std::uint32_t rank, Step step) {
    if (step.count > 0) steps_.push_back({rank, std::move(step), false});
  }

  // A step of each rank that moves nothing, and stands for its program, which may do there what it likes.
  void own_buffers() {
    for (std::uint32_t rank = 0; rank < call_.ranks; ++rank) steps_.push_back({rank, {}, true});
  }

  struct Entry {
    std::uint32_t rank;
    Step step;
    bool owns;  // its rank's buffers, and has no step otherwise
  };

  const Call& call_;
  std::vector<Entry> steps_;
};

}  // namespace assay::plugins::collective
