// SPDX-License-Identifier: Apache-2.0
//
// What NCCL cannot do, by version and GPU. Pure: needs neither NCCL nor CUDA.
#pragma once

#include "collective/device_types.hpp"
#include "collective/operation.hpp"

namespace assay::plugins::collective {

// Versions as the library counts them: 22800 is 2.28.0.
inline constexpr int kNcclWithFp8 = 22400, kNcclMovingFp8Anywhere = 22800;
// Compute capability, as ten times the major number and the minor.
inline constexpr int kCapabilityOfFp8 = 90;

inline bool is_fp8(DeviceType type) { return type == DeviceType::fp8_e4m3 || type == DeviceType::fp8_e5m2; }

// Whether the library refuses 8-bit floating point on GPUs below kCapabilityOfFp8: to reduce it, and in older
// versions in every collective of its own, that is, in all that it does not make of sending and receiving.
inline bool needs_fp8_units(Operation operation, DeviceType type, int library) {
  if (!is_fp8(type)) return false;
  if (reduces(operation)) return true;
  return library < kNcclMovingFp8Anywhere &&
         (operation == Operation::all_gather || operation == Operation::broadcast);
}

}  // namespace assay::plugins::collective
