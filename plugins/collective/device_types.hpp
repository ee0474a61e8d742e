// SPDX-License-Identifier: Apache-2.0
//
// Element types of GPUs, as NCCL names them, and what they can hold. Pure: needs no CUDA.
#pragma once

#include "collective/codes.hpp"

#include <cstdint>

namespace assay::plugins::collective {

enum class DeviceType {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  fp16,
  bf16,
  fp32,
  fp64,
  fp8_e4m3,
  fp8_e5m2
};

inline bool is_whole(DeviceType type) {
  switch (type) {
    case DeviceType::int8:
    case DeviceType::uint8:
    case DeviceType::int32:
    case DeviceType::uint32:
    case DeviceType::int64:
    case DeviceType::uint64:
      return true;
    default:
      return false;
  }
}

// The type holds every integer up to it: two to the power of its significant bits.
inline double exact_integers(DeviceType type) {
  switch (type) {
    case DeviceType::int8:
      return 127;
    case DeviceType::uint8:
      return 255;
    case DeviceType::fp16:
      return 2048;
    case DeviceType::bf16:
      return 256;
    case DeviceType::fp8_e4m3:
      return 16;
    case DeviceType::fp8_e5m2:
      return 8;
    default:
      return 16777216;
  }
}

// Averages of ranks whose number is not a power of two are rounded in the library, which multiplies by 1/n.
inline bool is_rounded(Operator operation, DeviceType type, std::uint32_t ranks) {
  return operation == Operator::average && !is_whole(type) && (ranks & (ranks - 1)) != 0;
}

// How far a rounded average may be from the right one, relative to it. One rank has all of it (codes.hpp), so
// two roundings decide, of 1/n and of its product with that rank's input, each by half a unit in the last
// place; what the others add is zero.
inline double rounding_of_average(DeviceType type) {
  const double half_unit = type == DeviceType::fp64 ? 0x1p-53 : 1 / exact_integers(type);
  return 2 * half_unit + half_unit * half_unit;
}

inline Codes codes_of(Operator operation, DeviceType type, std::uint32_t ranks, std::uint64_t seed) {
  return {operation, ranks, seed, exact_integers(type), is_rounded(operation, type, ranks)};
}

}  // namespace assay::plugins::collective
