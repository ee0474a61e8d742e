// SPDX-License-Identifier: Apache-2.0
//
// Numbers of IEEE 754 binary16 on a host that need not know them: 10 bits of fraction, from 2^-24 to 65504.
// Without branches, so that loops over them become vector instructions.
#pragma once

#include <bit>
#include <cstdint>

namespace assay::plugins {

struct Half {
  std::uint16_t bits = 0;
};

// To the nearest, of two to the even one; beyond 65520 infinity.
inline Half to_half(float x) {
  constexpr std::uint32_t kInfinity = 0x7F800000, kSmallestNormal = 0x38800000, kTooLarge = 0x47800000;
  constexpr std::uint32_t kExponents = (127 - 15) << 23;
  constexpr float kOneHalf =
      0.5F;  // its last place is 2^-24, which is that of the numbers below the normal ones
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  const std::uint32_t below = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + kOneHalf) -
                              std::bit_cast<std::uint32_t>(kOneHalf);
  const std::uint32_t normal = (magnitude + 0xFFF + (magnitude >> 13 & 1) - kExponents) >> 13;
  const std::uint32_t special = magnitude > kInfinity ? 0x7E00 : 0x7C00;
  const std::uint32_t half = magnitude < kSmallestNormal ? below : magnitude < kTooLarge ? normal : special;
  return {static_cast<std::uint16_t>(half | (bits >> 16 & 0x8000))};
}

inline float to_float(Half half) {
  const std::uint32_t magnitude = half.bits & 0x7FFF;
  // Its bits mean a number that is 2^112 too small, which is exact in a float, and so is the product.
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112F);
  const std::uint32_t special = magnitude << 13 | 0x7F800000;
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000) << 16;
  return std::bit_cast<float>((magnitude >= 0x7C00 ? special : scaled) | sign);
}

}  // namespace assay::plugins
