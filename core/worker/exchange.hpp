// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/rank_team.hpp"
#include "worker/rank_position.hpp"

#include <cstddef>

namespace assay::worker {

// How the ranks of a set agree: through the memory that they share.
class SegmentExchange final : public measure::Exchange {
 public:
  explicit SegmentExchange(const RankPosition& place) : place_(place) {}
  [[nodiscard]] int rank() const override { return place_.rank; }
  [[nodiscard]] int rank_count() const override { return place_.rank_count; }
  bool barrier() override { return done(place_.segment->barrier(place_.rank)); }
  bool broadcast(void* data, std::size_t bytes, int root) override {
    return done(place_.segment->broadcast(place_.rank, data, bytes, root));
  }
  bool allgather(const void* mine, void* all, std::size_t bytes) override {
    return done(place_.segment->allgather(place_.rank, mine, all, bytes));
  }

 private:
  static bool done(wire::Segment::Wait wait) { return wait == wire::Segment::Wait::done; }
  const RankPosition& place_;
};

}  // namespace assay::worker
