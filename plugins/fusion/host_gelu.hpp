// SPDX-License-Identifier: Apache-2.0
//
// GELU in a few multiply-adds and one quotient: no branch and no call, so that loops over it become vector
// instructions and wait for memory. What stands after ± is measured by the tests.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace assay::plugins::fusion {

// What the functions below need of a floating-point type.
template <class Real>
struct Format;

template <>
struct Format<float> {
  using Bits = std::int32_t;
  static constexpr int kFraction = 23;  // bits
  static constexpr float kIntegers =
      0x1.8p23F;                          // added to a small number: its nearest integer is in the low bits
  static constexpr float kSmallest = 64;  // 2^-64 is next to nothing
  // 2^x on [-1/2, 1/2], to 2^-23 of it.
  static constexpr float kExp2[] = {1.0000000717F, 0.6931469671F,  0.2402211972F,
                                    0.0555071327F, 0.00967554135F, 0.00132764725F};
  // 0.5·erfc(x/√2)·e^(x²/2) = t·P(t), t = 1/(1 + kTailScale·x): half of 7.1.26 in M. Abramowitz and
  // I. Stegun, Handbook of Mathematical Functions, 1964. Absolutely to 2^-23.
  static constexpr float kTailScale = 0.2316419F;
  static constexpr float kTail[] = {0.127414796F, -0.142248368F, 0.7107068705F, -0.7265760135F,
                                    0.5307027145F};
};

template <>
struct Format<double> {
  using Bits = std::int64_t;
  static constexpr int kFraction = 52;
  static constexpr double kIntegers = 0x1.8p52;
  static constexpr double kSmallest = 128;
  // Accurate to 2^-52. These and the next are minimax polynomials: for their degree, the largest error is minimal.
  static constexpr double kExp2[] = {
      1.000000000000000066,    0.6931471805599497751,   0.2402265069590876773,    0.05550410866445883056,
      0.009618129108034603721, 0.001333355822856181039, 0.0001540352996112220207, 0.00001525265811639475969,
      1.321566283752910547e-6, 1.020853793278676442e-7, 7.037278662168686123e-9};
  // In the same form, accurate to 2^-49.
  static constexpr double kTailScale = 0.25;
  static constexpr double kTail[] = {0.09959499385875323808, 0.102076032987546223,   0.07582072248418535629,
                                     0.1609021207235680678,  -0.1753604366185005305, 0.5366887863365588315,
                                     -0.6857397609851179593, 0.6959679353802211251,  -0.4132130139862670304,
                                     0.09557577802879941405, 0.02173667551822894381, -0.01675947370510767861,
                                     0.002709639977133515104};
};

// Σ factors[k]·x^k. Recursive, because the compiler does not vectorise a loop that contains another loop.
template <std::size_t kFrom = 0, class Real, std::size_t kCount>
[[gnu::always_inline]] inline Real polynomial(const Real (&factors)[kCount], Real x) {
  if constexpr (kFrom + 1 == kCount) {
    return factors[kFrom];
  } else {
    return factors[kFrom] + x * polynomial<kFrom + 1>(factors, x);
  }
}

// 2^-x for x >= 0. A result below 2^-kSmallest is replaced by 2^-kSmallest, so that nothing computed from it is
// subnormal, which would be slow. The result for a NaN is unspecified.
template <class Real>
[[gnu::always_inline]] inline Real power_of_half(Real x) {
  using F = Format<Real>;
  using Bits = typename F::Bits;
  using Wrapping = std::make_unsigned_t<Bits>;
  // Floating-point numbers that are not negative have the order of their bits. For std::min of the numbers
  // themselves the compiler makes a branch, and computes what follows twice.
  x = std::bit_cast<Real>(std::min(std::bit_cast<Bits>(x), std::bit_cast<Bits>(F::kSmallest)));
  const Real shifted = F::kIntegers - x;
  const Real whole = shifted - F::kIntegers;
  const Real fraction = polynomial(F::kExp2, -x - whole);
  return std::bit_cast<Real>(std::bit_cast<Wrapping>(fraction) +
                             (std::bit_cast<Wrapping>(shifted) << F::kFraction));
}

// Both functions are max(x, 0) - |x|·tail(|x|), without cancellation. Their error is at most 2^-21 of |x| in fp32
// and 2^-45 in fp64; a NaN gives a NaN.
template <class Real>
[[gnu::always_inline]] inline Real without_tail(Real x, Real tail) {
  const Real half = static_cast<Real>(0.5);
  const Real magnitude = std::fabs(x);
  return (half * x + half * magnitude) - magnitude * tail;
}

// 0.5·x·(1 + erf(x/√2)): the tail is 0.5·erfc(|x|/√2).
template <class Real>
[[gnu::always_inline]] inline Real gelu_erf(Real x) {
  using F = Format<Real>;
  constexpr Real kHalfLog2e = static_cast<Real>(0.72134752044448170368);
  const Real t = 1 / (1 + F::kTailScale * std::fabs(x));
  return without_tail(x, t * polynomial(F::kTail, t) * power_of_half(kHalfLog2e * x * x));
}

// 0.5·x·(1 + tanh(u)) with u = √(2/π)·(x + 0.044715·x³): the tail is 1 / (1 + e^(2·|u|)).
template <class Real>
[[gnu::always_inline]] inline Real gelu_tanh(Real x) {
  constexpr Real kFirst = static_cast<Real>(2.302208198144325);   // 2·√(2/π)·log2(e)
  constexpr Real kThird = static_cast<Real>(0.1029432395800235);  // the same times 0.044715
  const Real power = power_of_half(std::fabs(x) * (kFirst + kThird * x * x));
  return without_tail(x, power / (1 + power));
}

}  // namespace assay::plugins::fusion
