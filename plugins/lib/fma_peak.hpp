// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/cpu_team.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace assay::plugins {

struct FmaPeak {
  double operations_per_second = 0;  // one multiply-add is two operations
  const char* vector = "";           // what was used: "AVX-512", "AVX2", "SSE2", "NEON", "scalar"
};

namespace fma {

// kChains independent multiply-add chains over vectors of kBytes. Enough chains to cover the unit's latency
// (4 to 5 cycles) on two ports, few enough to stay in registers. The result is returned so that the loop
// cannot be dropped.
#define ASSAY_FMA_CHAIN(NAME, REAL, BYTES, CHAINS, TARGET)                                             \
  TARGET inline REAL NAME(std::uint64_t steps) {                                                       \
    typedef REAL Vector __attribute__((vector_size(BYTES)));                                           \
    Vector sums[CHAINS];                                                                               \
    const Vector factor = Vector{} + static_cast<REAL>(0.999999),                                      \
                 addend = Vector{} + static_cast<REAL>(1e-6);                                          \
    for (int c = 0; c < (CHAINS); ++c) sums[c] = Vector{} + static_cast<REAL>(1 + c);                  \
    for (std::uint64_t step = 0; step < steps; ++step) {                                               \
      _Pragma("GCC unroll 16") for (int c = 0; c < (CHAINS); ++c) sums[c] = sums[c] * factor + addend; \
    }                                                                                                  \
    Vector total = sums[0];                                                                            \
    for (int c = 1; c < (CHAINS); ++c) total += sums[c];                                               \
    return total[0];                                                                                   \
  }

#if defined(__x86_64__)
ASSAY_FMA_CHAIN(avx512_f64, double, 64, 12, __attribute__((target("avx512f"))))
ASSAY_FMA_CHAIN(avx512_f32, float, 64, 12, __attribute__((target("avx512f"))))
ASSAY_FMA_CHAIN(avx2_f64, double, 32, 12, __attribute__((target("avx2,fma"))))
ASSAY_FMA_CHAIN(avx2_f32, float, 32, 12, __attribute__((target("avx2,fma"))))
#endif
ASSAY_FMA_CHAIN(base_f64, double, 16, 12, )
ASSAY_FMA_CHAIN(base_f32, float, 16, 12, )
#undef ASSAY_FMA_CHAIN

template <typename Real>
struct Kernel {
  Real (*run)(std::uint64_t steps);
  int lanes;
  const char* name;
};
inline constexpr int kChains = 12;

template <typename Real>
Kernel<Real> best_kernel();

template <>
inline Kernel<double> best_kernel<double>() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {avx512_f64, 8, "AVX-512"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {avx2_f64, 4, "AVX2"};
  return {base_f64, 2, "SSE2"};
#else
  return {base_f64, 2, "128-bit vectors"};
#endif
}

template <>
inline Kernel<float> best_kernel<float>() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {avx512_f32, 16, "AVX-512"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {avx2_f32, 8, "AVX2"};
  return {base_f32, 4, "SSE2"};
#else
  return {base_f32, 4, "128-bit vectors"};
#endif
}

// So many steps that a round of them takes `round_s` or more, by `seconds`, which runs a round. The fastest
// of three counts: threads that came late make a round of microseconds look long, and in such a round
// starting and ending are all there is.
template <typename Seconds>
std::uint64_t steps_for(double round_s, const Seconds& seconds) {
  std::uint64_t steps = 1000;
  for (;;) {
    const double duration = std::min({seconds(steps), seconds(steps), seconds(steps)});
    if (duration >= round_s) return steps;
    const double growth = duration > 0 ? round_s / duration * 1.2 : 10;
    steps = static_cast<std::uint64_t>(static_cast<double>(steps) * (growth < 10 ? growth : 10)) + 1;
  }
}

}  // namespace fma

// The multiply-add rate of all members at once, measured: the best of `rounds` rounds of about `round_s`,
// after one round of warm-up. The best, because it is an upper bound that other work is held against.
template <typename Real>
FmaPeak measure_fma_peak(CpuTeam& team, int rounds = 8, double round_s = 0.01) {
  const fma::Kernel<Real> kernel = fma::best_kernel<Real>();
  const auto seconds = [&](std::uint64_t steps) {
    std::vector<Real> kept(static_cast<std::size_t>(team.size()));
    SpinBarrier start(team.size());
    std::vector<std::chrono::steady_clock::time_point> begin(kept.size()), end(kept.size());
    team.run([&](int member) {
      const auto i = static_cast<std::size_t>(member);
      start.wait();
      begin[i] = std::chrono::steady_clock::now();
      kept[i] = kernel.run(steps);
      end[i] = std::chrono::steady_clock::now();
    });
    // From the first start to the last end: nobody's share is left out.
    const auto first = *std::min_element(begin.begin(), begin.end());
    const auto last = *std::max_element(end.begin(), end.end());
    __asm__ volatile(""
                     :
                     : "r"(kept.data())
                     : "memory");  // the sums are taken to be read, so they are computed
    return std::chrono::duration<double>(last - first).count();
  };
  const std::uint64_t steps = fma::steps_for(round_s, seconds);
  const double operations = 2.0 * fma::kChains * kernel.lanes * static_cast<double>(steps) * team.size();
  FmaPeak peak{0, kernel.name};
  for (int round = 0; round < rounds; ++round) {
    const double rate = operations / seconds(steps);
    if (rate > peak.operations_per_second) peak.operations_per_second = rate;
  }
  return peak;
}

}  // namespace assay::plugins
