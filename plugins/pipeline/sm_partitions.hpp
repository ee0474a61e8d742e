// SPDX-License-Identifier: Apache-2.0
//
// One GPU for several stages: equal shares of its SMs with a stream each, by the driver's green contexts.
#pragma once

#include <assay/cuda/device.hpp>

#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>
#include <vector>

namespace assay::plugins::pipeline {

class SmPartitions {
 public:
  // This many of the current device's. Null where the driver or the device has none, with `why`.
  static std::unique_ptr<SmPartitions> make(const cuda::Device& device, std::uint32_t count,
                                            std::string& why);

  SmPartitions() = default;
  SmPartitions(const SmPartitions&) = delete;  // owns the driver's contexts
  SmPartitions& operator=(const SmPartitions&) = delete;
  virtual ~SmPartitions() = default;

  virtual const std::vector<cudaStream_t>& streams() const = 0;
  virtual std::uint32_t sms() const = 0;  // of each
};

}  // namespace assay::plugins::pipeline
