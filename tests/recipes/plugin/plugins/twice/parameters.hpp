// SPDX-License-Identifier: Apache-2.0
//
// twice: what the benchmark is on every backend. Parameters, metrics and what counts as work are described here, once.
#pragma once

#include <assay/data.hpp>
#include <assay/description.hpp>
#include <assay/random.hpp>
#include <assay/units.hpp>

#include <cstdint>

namespace assay::plugins::twice {

struct Params {
  std::uint64_t elements = std::uint64_t{1} << 22;
};

inline constexpr double kBytesPerElement = 8;  // x read, y written

inline void describe(Description<Params>& is, const char* mechanism) {
  is.named("twice").revision(1).summary("y = 2 x over a vector of each rank");
  is.param("elements", &Params::elements)
      .range(1, std::uint64_t{1} << 34)
      .help("length of each rank's vector");
  is.rate("bandwidth", unit::bytes_per_second)
      .counting("x read, y written: 8 bytes an element, of each rank")
      .mechanism(mechanism);
  is.ranks(1, 64).devices(1, 1);
}

// Each rank has inputs of its own, so that results of another rank are seen to be wrong.
inline Random inputs_of(std::uint64_t seed, std::uint32_t rank) { return Random(seed, rank); }

}  // namespace assay::plugins::twice
