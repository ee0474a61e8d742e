// SPDX-License-Identifier: Apache-2.0
#include "statistics/testing/random.hpp"

#include <cmath>

namespace assay::statistics {

namespace {

constexpr double kLogarithmOf2 = 0.693147180559945309417;

// SplitMix64's finaliser (Steele, Lea, Flood 2014): a bijection that mixes all bits.
std::uint64_t mix(std::uint64_t bits) {
  bits ^= bits >> 30;
  bits *= 0xbf58476d1ce4e5b9u;
  bits ^= bits >> 27;
  bits *= 0x94d049bb133111ebu;
  bits ^= bits >> 31;
  return bits;
}

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream)
    : key_(mix(mix(seed + kGolden) + stream * kGolden)) {}

std::uint64_t Random::next() { return mix(mix(key_ + ++counter_ * kGolden) ^ key_); }

double Random::uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double x = 0;
  double y = 0;
  double square = 0;
  do {
    x = 2 * uniform() - 1;
    y = 2 * uniform() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  const double factor = std::sqrt(-2 * portable_log(square) / square);
  spare_ = y * factor;
  has_spare_ = true;
  return x * factor;
}

double Random::lognormal(double sigma) { return portable_exp(sigma * normal()); }

bool Random::chance(double probability) { return uniform() < probability; }

double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // in [0.5, 1)
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  // ln(m) = 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172: twelve terms of the series are exact to a
  // double.
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double series = 0;
  for (int term = 11; term >= 0; --term) series = series * square + 1.0 / (2 * term + 1);
  return 2 * s * series + exponent * kLogarithmOf2;
}

double portable_exp(double x) {
  const double whole = std::floor(x / kLogarithmOf2 + 0.5);
  const double rest = x - whole * kLogarithmOf2;  // |rest| < 0.35
  double series = 1;
  for (int term = 15; term >= 1; --term) series = 1 + series * rest / term;
  return std::ldexp(series, static_cast<int>(whole));
}

}  // namespace assay::statistics
