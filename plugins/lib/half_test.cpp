// SPDX-License-Identifier: Apache-2.0
#include "lib/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::plugins {
namespace {

// By the definition: sign, exponent less 15, fraction.
double meaning_of(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                       : std::numeric_limits<double>::quiet_NaN())
                      : exponent == 0 ? fraction * 0x1p-24
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

TEST(Half, MeansWhatItIsDefinedToMean) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double meaning = meaning_of(static_cast<std::uint16_t>(bits));
    const float seen = to_float({static_cast<std::uint16_t>(bits)});
    if (std::isnan(meaning)) {
      EXPECT_TRUE(std::isnan(seen)) << bits;
      EXPECT_TRUE(std::isnan(to_float(to_half(seen)))) << bits;
      continue;
    }
    EXPECT_EQ(static_cast<double>(seen), meaning) << bits;
    EXPECT_EQ(to_half(seen).bits, bits);
  }
}

TEST(Half, IsTheNearestAndOfTwoTheEvenOne) {
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const float low = to_float({static_cast<std::uint16_t>(bits)});
    const float high = to_float({static_cast<std::uint16_t>(bits + 1)});
    const float middle = (low + high) / 2;
    const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
    for (const std::uint32_t sign : {0U, 0x8000U}) {
      const float way = sign != 0 ? -1.0F : 1.0F;
      EXPECT_EQ(to_half(way * middle).bits, even | sign);
      EXPECT_EQ(to_half(way * std::nextafter(middle, low)).bits, bits | sign);
      EXPECT_EQ(to_half(way * std::nextafter(middle, high)).bits, (bits + 1) | sign);
    }
  }
}

TEST(Half, IsInfinityWhereItIsTooLarge) {
  EXPECT_EQ(to_half(65519.9F).bits, 0x7BFF);
  for (const float large : {65520.0F, 65536.0F, 1e30F, std::numeric_limits<float>::infinity()})
    EXPECT_EQ(to_half(large).bits, 0x7C00);
}

}  // namespace
}  // namespace assay::plugins
