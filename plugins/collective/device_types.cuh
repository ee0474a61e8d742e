// SPDX-License-Identifier: Apache-2.0
//
// Element types of GPUs as C++ types, and codes as elements of them.
#pragma once

#include "collective/device_types.hpp"

#include <cstddef>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>

namespace assay::plugins::collective {

// Calls body(T{}) with the C++ type.
template <class Body>
auto with_device_type(DeviceType type, Body&& body) {
  switch (type) {
    case DeviceType::int8:
      return body(std::int8_t{});
    case DeviceType::uint8:
      return body(std::uint8_t{});
    case DeviceType::int32:
      return body(std::int32_t{});
    case DeviceType::uint32:
      return body(std::uint32_t{});
    case DeviceType::int64:
      return body(std::int64_t{});
    case DeviceType::uint64:
      return body(std::uint64_t{});
    case DeviceType::fp16:
      return body(__half{});
    case DeviceType::bf16:
      return body(__nv_bfloat16{});
    case DeviceType::fp32:
      return body(float{});
    case DeviceType::fp8_e4m3:
      return body(__nv_fp8_e4m3{});
    case DeviceType::fp8_e5m2:
      return body(__nv_fp8_e5m2{});
    case DeviceType::fp64:
      break;
  }
  return body(double{});
}

inline std::size_t bytes_of(DeviceType type) {
  return with_device_type(type, [](auto zero) { return sizeof(zero); });
}

// A whole number, or the average of so many that it is the sum of, as an element.
template <class T>
__host__ __device__ inline T element_of(std::uint64_t code, std::uint32_t divisor = 1) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(code / divisor);
  } else if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(code) / divisor;
  } else {
    return T(static_cast<float>(static_cast<double>(code) / divisor));
  }
}

// Bits of an element, which can be compared in every type. Sums of what is not negative have no second zero.
template <class T>
__host__ __device__ inline std::uint64_t bits_of(const T& element) {
  std::uint64_t bits = 0;
  const auto* const from = reinterpret_cast<const unsigned char*>(&element);
  for (std::size_t i = 0; i < sizeof(T); ++i) bits |= std::uint64_t{from[i]} << (8 * i);
  return bits;
}

}  // namespace assay::plugins::collective
