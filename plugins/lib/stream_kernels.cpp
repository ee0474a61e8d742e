// SPDX-License-Identifier: Apache-2.0
#include "lib/stream_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::plugins::stream {
namespace {

// The plain loops are left to the compiler, once per instruction set. This file is compiled without loop
// idioms being turned into memcpy and memset, whose stores are not ours to choose.
#if defined(__x86_64__)
#define ASSAY_EVERY_ISA __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ASSAY_EVERY_ISA
#endif

ASSAY_EVERY_ISA double read_pass(const Slice& s, double) {
  // Independent partial sums: one chain of additions would be bound by their latency, not by memory.
  constexpr std::size_t kSums = 32;
  double sums[kSums] = {};
  const double* b = s.b;
  std::size_t i = s.begin;
  for (; i + kSums <= s.end; i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += b[i + k];
  }
  for (; i < s.end; ++i) sums[0] += b[i];
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

ASSAY_EVERY_ISA double write_pass(const Slice& s, double scalar) {
  double* __restrict__ a = s.a;
  for (std::size_t i = s.begin; i < s.end; ++i) a[i] = scalar;
  return 0;
}

ASSAY_EVERY_ISA double copy_pass(const Slice& s, double) {
  double* __restrict__ a = s.a;
  const double* __restrict__ b = s.b;
  for (std::size_t i = s.begin; i < s.end; ++i) a[i] = b[i];
  return 0;
}

ASSAY_EVERY_ISA double scale_pass(const Slice& s, double scalar) {
  double* __restrict__ a = s.a;
  const double* __restrict__ b = s.b;
  for (std::size_t i = s.begin; i < s.end; ++i) a[i] = scalar * b[i];
  return 0;
}

ASSAY_EVERY_ISA double add_pass(const Slice& s, double) {
  double* __restrict__ a = s.a;
  const double* __restrict__ b = s.b;
  const double* __restrict__ c = s.c;
  for (std::size_t i = s.begin; i < s.end; ++i) a[i] = b[i] + c[i];
  return 0;
}

ASSAY_EVERY_ISA double triad_pass(const Slice& s, double scalar) {
  double* __restrict__ a = s.a;
  const double* __restrict__ b = s.b;
  const double* __restrict__ c = s.c;
  for (std::size_t i = s.begin; i < s.end; ++i) a[i] = b[i] + scalar * c[i];
  return 0;
}

Pass temporal(Kernel kernel) {
  switch (kernel) {
    case Kernel::read:
      return read_pass;
    case Kernel::write:
      return write_pass;
    case Kernel::copy:
      return copy_pass;
    case Kernel::scale:
      return scale_pass;
    case Kernel::add:
      return add_pass;
    case Kernel::triad:
      return triad_pass;
  }
  return nullptr;
}

#if defined(__x86_64__)

// Non-temporal stores go round the caches and fetch nothing before they write. Slices begin at a cache line;
// the few elements behind the last whole vector are stored plainly.
#define ASSAY_NONTEMPORAL(PREFIX, TARGET, VECTOR, LANES, LOAD, SET, ADD, MULTIPLY, STREAM)                 \
  template <Kernel kKernel>                                                                                \
  TARGET double PREFIX##_nontemporal(const Slice& s, double scalar) {                                      \
    const VECTOR factor = SET(scalar);                                                                     \
    std::size_t i = s.begin;                                                                               \
    for (; i + LANES <= s.end; i += LANES) {                                                               \
      VECTOR value = factor;                                                                               \
      if constexpr (kKernel == Kernel::copy) value = LOAD(s.b + i);                                        \
      if constexpr (kKernel == Kernel::scale) value = MULTIPLY(factor, LOAD(s.b + i));                     \
      if constexpr (kKernel == Kernel::add) value = ADD(LOAD(s.b + i), LOAD(s.c + i));                     \
      if constexpr (kKernel == Kernel::triad) value = ADD(LOAD(s.b + i), MULTIPLY(factor, LOAD(s.c + i))); \
      STREAM(s.a + i, value);                                                                              \
    }                                                                                                      \
    for (; i < s.end; ++i) {                                                                               \
      if constexpr (kKernel == Kernel::write) s.a[i] = scalar;                                             \
      if constexpr (kKernel == Kernel::copy) s.a[i] = s.b[i];                                              \
      if constexpr (kKernel == Kernel::scale) s.a[i] = scalar * s.b[i];                                    \
      if constexpr (kKernel == Kernel::add) s.a[i] = s.b[i] + s.c[i];                                      \
      if constexpr (kKernel == Kernel::triad) s.a[i] = s.b[i] + scalar * s.c[i];                           \
    }                                                                                                      \
    _mm_sfence();                                                                                          \
    return 0;                                                                                              \
  }

ASSAY_NONTEMPORAL(avx512, __attribute__((target("avx512f"))), __m512d, 8, _mm512_loadu_pd, _mm512_set1_pd,
                  _mm512_add_pd, _mm512_mul_pd, _mm512_stream_pd)
ASSAY_NONTEMPORAL(avx, __attribute__((target("avx"))), __m256d, 4, _mm256_loadu_pd, _mm256_set1_pd,
                  _mm256_add_pd, _mm256_mul_pd, _mm256_stream_pd)
ASSAY_NONTEMPORAL(sse2, , __m128d, 2, _mm_loadu_pd, _mm_set1_pd, _mm_add_pd, _mm_mul_pd, _mm_stream_pd)

template <Kernel kKernel>
Pass widest_nontemporal() {
  if (__builtin_cpu_supports("avx512f")) return avx512_nontemporal<kKernel>;
  if (__builtin_cpu_supports("avx")) return avx_nontemporal<kKernel>;
  return sse2_nontemporal<kKernel>;
}

Pass nontemporal(Kernel kernel) {
  switch (kernel) {
    case Kernel::read:
      return nullptr;  // it stores nothing
    case Kernel::write:
      return widest_nontemporal<Kernel::write>();
    case Kernel::copy:
      return widest_nontemporal<Kernel::copy>();
    case Kernel::scale:
      return widest_nontemporal<Kernel::scale>();
    case Kernel::add:
      return widest_nontemporal<Kernel::add>();
    case Kernel::triad:
      return widest_nontemporal<Kernel::triad>();
  }
  return nullptr;
}

#else

Pass nontemporal(Kernel) { return nullptr; }

#endif

}  // namespace

Pass find_pass(Kernel kernel, Stores stores) {
  return stores == Stores::temporal ? temporal(kernel) : nontemporal(kernel);
}

}  // namespace assay::plugins::stream
