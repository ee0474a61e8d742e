// SPDX-License-Identifier: Apache-2.0
//
// How the work of a kernel is cut into blocks, and which ways the search tries.
#pragma once

#include "membw/stream_values.hpp"

#include <assay/units.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::membw {

// streaming: nothing will be used again, so lines are the first to be evicted. cached: kept in L2.
enum class Access { streaming, cached };

struct Shape {
  unsigned threads;  // of a block; a multiple of the warp
  unsigned unroll;   // accesses of 16 bytes that a thread makes to each array
  Access access;

  std::uint64_t vectors_per_block() const { return std::uint64_t{threads} * unroll; }
};

// Blocks for one pass over arrays of this many vectors of 16 bytes.
inline std::uint64_t blocks_of(const Shape& shape, std::uint64_t vectors) {
  return ceil_div(vectors, shape.vectors_per_block());
}

// The preferred first. Sums cost each block a reduction, so their threads move more.
inline std::vector<Shape> shapes_to_try(Operation operation, Access access) {
  std::vector<Shape> shapes;
  for (const unsigned unroll : {1u, 2u, 4u, 8u}) {
    if (gives_sum(operation) && unroll < 4) continue;
    for (const unsigned threads : {128u, 256u, 512u, 1024u}) {
      if (threads * unroll <= 4096) shapes.push_back({threads, unroll, access});
    }
  }
  return shapes;
}

// "blocks of 256 threads, 1 × 16 B a thread, streaming"
inline std::string text_of(const Shape& shape) {
  return "blocks of " + std::to_string(shape.threads) + " threads, " + std::to_string(shape.unroll) +
         " × 16 B a thread, " + (shape.access == Access::streaming ? "streaming" : "cached");
}

}  // namespace assay::plugins::membw
