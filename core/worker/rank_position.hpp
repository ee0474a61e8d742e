// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wire/messages.hpp"
#include "wire/segment.hpp"

namespace assay::worker {

// Where this worker stands in its rank set.
struct RankPosition {
  int rank = 0, rank_count = 1, local_rank = 0, node = 0, node_count = 1;
  wire::Segment* segment = nullptr;  // of the set; nullptr if it has none

  [[nodiscard]] bool alone() const { return rank_count == 1; }
};

}  // namespace assay::worker
