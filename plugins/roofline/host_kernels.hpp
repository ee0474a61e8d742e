// SPDX-License-Identifier: Apache-2.0
//
// Reading on a CPU, with as many multiply-adds on what is read as asked for. Compiled for several vector
// widths; the program chooses when it runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::plugins::roofline {

inline constexpr std::size_t kStripe = 64;  // doubles that are worked on together

// The sum of x + steps over doubles [0, count), where `one` is 1: each step is a multiply-add on each.
// `count` is a multiple of kStripe.
using Sweep = double (*)(const double* from, std::size_t count, std::uint32_t steps, double one);

namespace sweeps {

#define ASSAY_SWEEP(NAME, BYTES, TARGET)                                                              \
  TARGET inline double NAME(const double* from, std::size_t count, std::uint32_t steps, double one) { \
    typedef double Vector __attribute__((vector_size(BYTES)));                                        \
    typedef double Unaligned __attribute__((vector_size(BYTES), aligned(8), may_alias));              \
    constexpr std::size_t kLanes = (BYTES) / 8, kVectors = 8;                                         \
    const Vector by = Vector{} + one;                                                                 \
    Vector sums[kVectors] = {};                                                                       \
    for (std::size_t i = 0; i < count; i += kLanes * kVectors) {                                      \
      Vector x[kVectors];                                                                             \
      _Pragma("GCC unroll 8") for (std::size_t v = 0; v < kVectors; ++v) {                            \
        x[v] = *reinterpret_cast<const Unaligned*>(from + i + v * kLanes);                            \
      }                                                                                               \
      for (std::uint32_t step = 0; step < steps; ++step) {                                            \
        _Pragma("GCC unroll 8") for (std::size_t v = 0; v < kVectors; ++v) x[v] = x[v] * by + by;     \
      }                                                                                               \
      _Pragma("GCC unroll 8") for (std::size_t v = 0; v < kVectors; ++v) sums[v] += x[v];             \
    }                                                                                                 \
    for (std::size_t v = 1; v < kVectors; ++v) sums[0] += sums[v];                                    \
    double sum = 0;                                                                                   \
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum += sums[0][lane];                           \
    return sum;                                                                                       \
  }

#if defined(__x86_64__)
ASSAY_SWEEP(with_avx512, 64, __attribute__((target("avx512f"))))
ASSAY_SWEEP(with_avx2, 32, __attribute__((target("avx2,fma"))))
#endif
ASSAY_SWEEP(with_base, 16, )
#undef ASSAY_SWEEP

}  // namespace sweeps

// The widest of this CPU's.
inline Sweep best_sweep() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return sweeps::with_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return sweeps::with_avx2;
#endif
  return sweeps::with_base;
}

}  // namespace assay::plugins::roofline
