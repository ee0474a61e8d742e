// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/cpu_team.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
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

// The number of steps that take `wanted_s` or more; `seconds(n)` runs n steps and gives their time. The fastest of
// three runs counts: an interrupted one looks long, and would lead to pieces that are as short as a clock reading.
template <typename Seconds>
std::uint64_t steps_for(double wanted_s, const Seconds& seconds) {
  std::uint64_t steps = 1000;
  for (;;) {
    const double duration = std::min({seconds(steps), seconds(steps), seconds(steps)});
    if (duration >= wanted_s) return steps;
    const double growth = duration > 0 ? wanted_s / duration * 1.2 : 10;
    steps = static_cast<std::uint64_t>(static_cast<double>(steps) * (growth < 10 ? growth : 10)) + 1;
  }
}

// The time of this many steps.
template <typename Real>
double seconds_of(const Kernel<Real>& kernel, std::uint64_t steps) {
  const auto begin = std::chrono::steady_clock::now();
  Real kept = kernel.run(steps);
  __asm__ volatile("" : "+m"(kept) : : "memory");  // taken to be read, so that it is computed
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace fma

// The multiply-add rate of all members at once, measured: the best of `rounds` rounds of about `round_s`, because it is an upper
// bound that other work is compared with. A round is made of pieces, and a member's rate is that of its middle piece: a
// piece in which another program had the processor does not count, nor one at the edges that had a core for itself.
template <typename Real>
FmaPeak measure_fma_peak(CpuTeam& team, int rounds = 8, double round_s = 0.01) {
  constexpr std::size_t kPieces = 9;
  const fma::Kernel<Real> kernel = fma::best_kernel<Real>();
  std::uint64_t steps = 0;
  team.run([&](int member) {
    if (member == 0)
      steps = fma::steps_for(round_s / kPieces,
                             [&](std::uint64_t count) { return fma::seconds_of(kernel, count); });
  });
  std::vector<double> middle_s(static_cast<std::size_t>(team.size()));
  FmaPeak peak{0, kernel.name};
  for (int round = 0; round < rounds; ++round) {
    SpinBarrier start(team.size());
    team.run([&](int member) {
      std::array<double, kPieces> pieces_s{};
      start.wait();
      for (double& piece_s : pieces_s) piece_s = fma::seconds_of(kernel, steps);
      const auto middle = pieces_s.begin() + kPieces / 2;
      std::nth_element(pieces_s.begin(), middle, pieces_s.end());
      middle_s[static_cast<std::size_t>(member)] = *middle;
    });
    double rate = 0;
    for (const double piece_s : middle_s)
      rate += 2.0 * fma::kChains * kernel.lanes * static_cast<double>(steps) / piece_s;
    peak.operations_per_second = std::max(peak.operations_per_second, rate);
  }
  return peak;
}

}  // namespace assay::plugins
