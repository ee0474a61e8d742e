// SPDX-License-Identifier: Apache-2.0
#include "fusion/host_kernels.hpp"

#include "fusion/host_gelu.hpp"

#include <algorithm>

namespace assay::plugins::fusion {
namespace {

// What stands after the sum of x and b: GELU, or nothing.
struct ByErf {
  template <class Real>
  [[gnu::always_inline]] static Real of(Real x) {
    return gelu_erf(x);
  }
};
struct ByTanh {
  template <class Real>
  [[gnu::always_inline]] static Real of(Real x) {
    return gelu_tanh(x);
  }
};
struct Unchanged {
  template <class Real>
  [[gnu::always_inline]] static Real of(Real x) {
    return x;
  }
};

// The loops are left to the compiler, once per instruction set of the functions that they end up in.
template <class After, class Real>
[[gnu::always_inline]] inline void add(const Real* __restrict__ x, const Real* __restrict__ b,
                                       Real* __restrict__ to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = After::of(x[i] + b[i]);
}

template <class After, class Real>
[[gnu::always_inline]] inline void add_share(const Share<Real>& s, Real* to) {
  for (std::size_t i = s.begin; i < s.end;) {
    const std::size_t at = i % s.period;
    const std::size_t count = std::min(s.period - at, s.end - i);
    add<After>(s.x + i, s.b + at, to + i, count);
    i += count;
  }
}

template <class After, class Real>
[[gnu::always_inline]] inline void apply(const Real* __restrict__ t, Real* __restrict__ y,
                                         std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] = After::of(t[i]);
}

#define ASSAY_PASSES(NAME, TARGET)                                 \
  struct NAME {                                                    \
    template <class Real>                                          \
    TARGET static void sum(const Share<Real>& s) {                 \
      add_share<Unchanged>(s, s.t);                                \
    }                                                              \
    template <class Real, class After>                             \
    TARGET static void gelu(const Share<Real>& s) {                \
      apply<After>(s.t + s.begin, s.y + s.begin, s.end - s.begin); \
    }                                                              \
    template <class Real, class After>                             \
    TARGET static void fused(const Share<Real>& s) {               \
      add_share<After>(s, s.y);                                    \
    }                                                              \
  };

#if defined(__x86_64__)
constexpr const char* kBase = "SSE2";
ASSAY_PASSES(WithAvx512, __attribute__((target("avx512f"))))
ASSAY_PASSES(WithAvx2, __attribute__((target("avx2,fma"))))
#else
constexpr const char* kBase = "what the build is for";
#endif
ASSAY_PASSES(WithBase, )

template <class Real, class Passes>
HostPasses<Real> of(Variant variant, Gelu gelu, const char* vectors) {
  const bool erf = gelu == Gelu::erf;
  if (kernels_of(variant) == 1) {
    return {erf ? Passes::template fused<Real, ByErf> : Passes::template fused<Real, ByTanh>, nullptr,
            vectors};
  }
  return {Passes::template sum<Real>,
          erf ? Passes::template gelu<Real, ByErf> : Passes::template gelu<Real, ByTanh>, vectors};
}

}  // namespace

bool has_vectors(Vectors vectors) {
  if (vectors == Vectors::base) return true;
#if defined(__x86_64__)
  if (vectors == Vectors::avx512) return __builtin_cpu_supports("avx512f");
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

template <class Real>
HostPasses<Real> host_passes(Variant variant, Gelu gelu, Vectors vectors) {
#if defined(__x86_64__)
  if (vectors == Vectors::avx512) return of<Real, WithAvx512>(variant, gelu, "AVX-512");
  if (vectors == Vectors::avx2) return of<Real, WithAvx2>(variant, gelu, "AVX2");
#endif
  (void)vectors;
  return of<Real, WithBase>(variant, gelu, kBase);
}

template HostPasses<float> host_passes<float>(Variant, Gelu, Vectors);
template HostPasses<double> host_passes<double>(Variant, Gelu, Vectors);

}  // namespace assay::plugins::fusion
