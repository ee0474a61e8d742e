// SPDX-License-Identifier: Apache-2.0
//
// How much memory a rank's buffers take, where the library may see how large each piece of it is. Pure.
#pragma once

#include "collective/operation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace assay::plugins::collective {

// Elements of a rank's pieces of memory: one for each buffer, or the first for both.
struct Pieces {
  std::size_t first = 0, second = 0;
  bool one = false;  // input and output lie in the first
};

inline Pieces pieces_of(const Layout& mine, bool in_place) {
  if (in_place) return {std::max(mine.send_count, mine.receive_count), 0, true};
  return {mine.send_count, mine.receive_count, false};
}

// The same on every rank: what is registered as a window of all of them is as large everywhere, though the
// root alone has both buffers. NCCL before 2.30.7 maps the others' memory with the size of the own.
inline Pieces alike_pieces_of(Operation operation, const Counts& counts, std::uint32_t ranks,
                              std::uint32_t root, bool in_place) {
  const Pieces root_has = pieces_of(layout_of(operation, counts, root, root, in_place, 0), in_place);
  const std::uint32_t another = (root + 1) % ranks;
  const Pieces others_have = pieces_of(layout_of(operation, counts, another, root, in_place, 0), in_place);
  return {std::max(root_has.first, others_have.first), std::max(root_has.second, others_have.second),
          in_place};
}

}  // namespace assay::plugins::collective
