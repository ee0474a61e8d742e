// SPDX-License-Identifier: Apache-2.0
//
// Bias and GELU on a CPU in one pass and in two, with the widest vectors that it has.
#pragma once

#include "fusion/byte_model.hpp"

#include <cstddef>

namespace assay::plugins::fusion {

// Elements [begin, end) of the arrays. Element i of x has the bias b[i % period]: the period is the columns,
// or a multiple of them for which b repeats itself, or all of the array.
template <class Real>
struct Share {
  const Real* x;
  const Real* b;
  Real* t;
  Real* y;
  std::size_t period;
  std::size_t begin;
  std::size_t end;
};

// One pass over a share.
template <class Real>
using Pass = void (*)(const Share<Real>& share);

// What a variant does, pass by pass. Called through pointers that are found when the program runs, so that no
// compiler makes one pass out of two.
template <class Real>
struct HostPasses {
  Pass<Real> first;     // x + b → t, or all of it
  Pass<Real> second;    // gelu(t) → y; nullptr if fused
  const char* vectors;  // the instructions: "AVX-512", "AVX2", "SSE2"
};

// How an instruction set is compiled for. `base` is what every CPU has that this was built for.
enum class Vectors { base, avx2, avx512 };

// Does this CPU have them?
[[nodiscard]] bool has_vectors(Vectors vectors);

// Variants with a product have none here. The CPU has to have the vectors.
template <class Real>
[[nodiscard]] HostPasses<Real> host_passes(Variant variant, Gelu gelu, Vectors vectors);

// With the widest vectors of this CPU.
template <class Real>
[[nodiscard]] HostPasses<Real> host_passes(Variant variant, Gelu gelu) {
  return host_passes<Real>(variant, gelu,
                           has_vectors(Vectors::avx512) ? Vectors::avx512
                           : has_vectors(Vectors::avx2) ? Vectors::avx2
                                                        : Vectors::base);
}

}  // namespace assay::plugins::fusion
