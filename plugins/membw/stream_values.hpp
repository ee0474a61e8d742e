// SPDX-License-Identifier: Apache-2.0
//
// What the arrays hold and what the kernels make of it, in closed form, on host and device.
#pragma once

#include <assay/random.hpp>

#include <cstdint>

namespace assay::plugins::membw {

enum class Operation { read, write, copy, scale, add, triad, dot, random };

// The scalar of write, scale and triad.
inline constexpr double kScalar = 3;

// Arrays that an operation names: a is written, b and c are read.
ASSAY_HOST_DEVICE constexpr bool writes_a(Operation operation) {
  return operation != Operation::read && operation != Operation::dot && operation != Operation::random;
}
ASSAY_HOST_DEVICE constexpr bool reads_b(Operation operation) { return operation != Operation::write; }
ASSAY_HOST_DEVICE constexpr bool reads_c(Operation operation) {
  return operation == Operation::add || operation == Operation::triad || operation == Operation::dot;
}
ASSAY_HOST_DEVICE constexpr bool gives_sum(Operation operation) { return !writes_a(operation); }

ASSAY_HOST_DEVICE constexpr std::uint64_t arrays_of(Operation operation) {
  return (writes_a(operation) ? 1u : 0u) + (reads_b(operation) ? 1u : 0u) + (reads_c(operation) ? 1u : 0u);
}

enum class Array : std::uint32_t { a, b, c };

// Element i of an array that is read: a whole number below 1024, so that every kernel's result and the sum of
// an array are exact in any order.
ASSAY_HOST_DEVICE inline double initial(Array array, std::uint64_t i, std::uint64_t seed) {
  const std::uint64_t mixed =
      (i + static_cast<std::uint64_t>(array) * 0x9E3779B97F4A7C15ull) * 0xD1342543DE82EF95ull + seed;
  return static_cast<double>((mixed >> 32) & 1023);
}

// Element i of what an operation writes; of one that gives a sum, what element i adds to it.
struct Expected {
  Operation operation;
  std::uint64_t seed;

  ASSAY_HOST_DEVICE double operator()(std::uint64_t i) const {
    const double b = initial(Array::b, i, seed), c = initial(Array::c, i, seed);
    switch (operation) {
      case Operation::write:
        return kScalar;
      case Operation::scale:
        return kScalar * b;
      case Operation::add:
        return b + c;
      case Operation::triad:
        return b + kScalar * c;
      case Operation::dot:
        return b * c;
      case Operation::read:
      case Operation::copy:
      case Operation::random:
        break;
    }
    return b;
  }
};

}  // namespace assay::plugins::membw
