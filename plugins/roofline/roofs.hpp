// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of a roofline: what is counted, and what two roofs leave to reach.
#pragma once

#include <assay/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay::plugins::roofline {

// What work of so many operations a byte can reach under both roofs.
inline double attainable(double intensity, double compute_roof, double memory_roof) {
  return std::min(compute_roof, intensity * memory_roof);
}

// The intensity at which the roofs meet.
inline double ridge(double compute_roof, double memory_roof) { return compute_roof / memory_roof; }

inline constexpr std::uint32_t kVectorBytes = 16;

// Multiply-adds on every 16 bytes that are read: `whole` on each element, one more on the first `tail`.
struct Steps {
  std::uint32_t whole = 0, tail = 0;

  std::uint64_t multiply_adds(std::uint32_t elements) const { return std::uint64_t{whole} * elements + tail; }
  double intensity(std::uint32_t elements) const {
    return 2.0 * static_cast<double>(multiply_adds(elements)) / kVectorBytes;
  }
};

// The steps nearest to an intensity, at least one multiply-add; `elements` lie in 16 bytes.
inline Steps steps_for(double intensity, std::uint32_t elements) {
  const auto wanted = static_cast<std::uint32_t>(std::max(1.0, std::round(intensity * kVectorBytes / 2)));
  return {wanted / elements, wanted % elements};
}

// Element i of what is read: a whole number below 8, so that sums are exact in any order.
ASSAY_HOST_DEVICE inline std::uint32_t initial(std::uint64_t i, std::uint64_t seed) {
  return static_cast<std::uint32_t>(((i + seed) * 0x9E3779B97F4A7C15ull) >> 40) & 7u;
}

// Of gelu(x) = x/2 · (1 + tanh(x · (c0 + c1·x·x))): x·x, a multiply-add, a product, tanh, 1 + t, two
// products.
inline constexpr double kGeluOperations = 8;
inline constexpr double kGeluC0 = 0.7978845608028654, kGeluC1 = 0.044715 * 0.7978845608028654;

}  // namespace assay::plugins::roofline
