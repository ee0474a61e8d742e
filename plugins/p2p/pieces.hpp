// SPDX-License-Identifier: Apache-2.0
//
// How iterations are cut into what is launched at a time, and how much of it waits behind a closed gate.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::plugins::p2p {

// Copies in one graph, about. Behind a gate each takes a place, of which a stream has few more than these
// (assay/cuda/gate.hpp); a launch that finds none left blocks until the gate gives up.
inline constexpr std::uint64_t kGraphNodes = 1000;

struct Pieces {
  std::uint64_t iterations = 0, each = 1;  // all, and of a piece; the last may have fewer
  std::uint64_t held = 0;                  // pieces behind the gates; 0: none are closed

  std::uint64_t count() const { return (iterations + each - 1) / each; }
  std::uint64_t length(std::uint64_t piece) const { return std::min(each, iterations - piece * each); }
};

// As graphs of whole rings of `sets` buffers, or one by one; n above 0. `gate`: at most `most` iterations, or
// one graph, should wait.
inline Pieces pieces_of(std::uint64_t n, bool graphs, std::uint64_t sets, bool gate, std::uint64_t most) {
  if (!graphs) return {n, 1, gate ? std::min(n, most) : 0};
  Pieces pieces{n, std::max(sets, kGraphNodes / sets * sets), 0};
  if (gate && pieces.length(0) <= kGraphNodes) pieces.held = 1;
  return pieces;
}

}  // namespace assay::plugins::p2p
