// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of a roofline: what is counted, and what two roofs leave to reach.
#pragma once

#include <assay/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay::plugins::roofline {

// What work of this many operations a byte can reach under both roofs.
inline double attainable(double intensity, double compute_roof, double memory_roof) {
  return std::min(compute_roof, intensity * memory_roof);
}

// The intensity at which the roofs meet.
inline double ridge(double compute_roof, double memory_roof) { return compute_roof / memory_roof; }

// What a product of an m × k by a k × n matrix does, and the least that it has to move: A and B are read once
// and C is written once, all in elements of this many bytes.
class ProductCounts {
 public:
  ProductCounts(std::uint64_t m, std::uint64_t n, std::uint64_t k, unsigned element_bytes)
      : ProductCounts(m, n, k, element_bytes, element_bytes) {}
  ProductCounts(std::uint64_t m, std::uint64_t n, std::uint64_t k, unsigned in_bytes, unsigned out_bytes)
      : operations_(2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k)),
        bytes_((static_cast<double>(m) * static_cast<double>(k) +
                static_cast<double>(k) * static_cast<double>(n)) *
                   in_bytes +
               static_cast<double>(m) * static_cast<double>(n) * out_bytes) {}

  double operations() const { return operations_; }
  double bytes() const { return bytes_; }
  double intensity() const { return operations_ / bytes_; }

 private:
  double operations_, bytes_;
};

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
