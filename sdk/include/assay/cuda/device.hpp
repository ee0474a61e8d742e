// SPDX-License-Identifier: Apache-2.0
//
// The GPU of a case. The host made only the case's devices visible to this process, so a device's number is
// its place among them.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/error.hpp>
#include <assay/errors.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime_api.h>
#include <string>

namespace assay::cuda {

class Device {
 public:
  // Makes device `index` of this rank the current one of the calling thread. Throws Skip where there is no
  // usable driver or device, Failure if the runtime shows another GPU than the case names.
  static Device select(const Case& run, std::uint32_t index = 0) {
    const assay::Device wanted = run.device(index);
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    if (wanted.ordinal < 0 || wanted.ordinal >= count) {
      throw Skip(wanted.name + " is number " + std::to_string(wanted.ordinal) +
                 " of this process, and CUDA shows " + std::to_string(count) +
                 " devices; look at 'nvidia-smi -L' and at CUDA_VISIBLE_DEVICES");
    }
    Device device(wanted.ordinal, wanted.name);
    device.make_current();
    // A MIG slice has a UUID of its own form, which the runtime does not show.
    const std::string seen = device.uuid();
    if (wanted.uuid.rfind("GPU-", 0) == 0 && seen != wanted.uuid) {
      throw Failure(wanted.name + " is " + wanted.uuid + ", and CUDA shows " + seen +
                        " in its place; leave CUDA_VISIBLE_DEVICES to the host",
                    ASSAY_E_INVALID);
    }
    return device;
  }

  // Any device of this process, without a case.
  Device(int ordinal, std::string name) : ordinal_(ordinal), name_(std::move(name)) {}

  // For the calling thread.
  void make_current() const { check(cudaSetDevice(ordinal_), "cudaSetDevice"); }

  int ordinal() const { return ordinal_; }
  const std::string& name() const { return name_; }  // as suites name it, "cuda:0"

  int attribute(cudaDeviceAttr what) const {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, what, ordinal_), "cudaDeviceGetAttribute");
    return value;
  }
  int sm_count() const { return attribute(cudaDevAttrMultiProcessorCount); }
  std::size_t l2_bytes() const { return static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize)); }
  // 90 for compute capability 9.0.
  int architecture() const {
    return 10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
  }

  // "GPU-…" as the driver's tools write it.
  std::string uuid() const {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, ordinal_), "cudaGetDeviceProperties");
    std::string text = "GPU";
    for (int i = 0; i < 16; ++i) {
      char digits[4];
      std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned char>(properties.uuid.bytes[i]));
      if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
      text += digits;
    }
    return text;
  }

  struct Memory {
    std::size_t free_bytes = 0, total_bytes = 0;
  };
  // Creates the context if there is none yet.
  Memory memory() const {
    Memory memory;
    make_current();
    check(cudaMemGetInfo(&memory.free_bytes, &memory.total_bytes), "cudaMemGetInfo");
    return memory;
  }

  // For probe(): throws Skip if the device never has so much memory, or has it not free now.
  void require_memory(std::uint64_t bytes) const {
    const Memory now = memory();
    if (bytes <= now.free_bytes) return;
    throw Skip("needs " + std::to_string(bytes) + " bytes of device memory; " + name_ + " has " +
               std::to_string(now.total_bytes) + ", of which " + std::to_string(now.free_bytes) +
               " are free");
  }

  // For probe(): throws Skip on older GPUs. 90: compute capability 9.0.
  void require_architecture(int least) const {
    const int here = architecture();
    if (here >= least) return;
    const auto dotted = [](int number) {
      return std::to_string(number / 10) + "." + std::to_string(number % 10);
    };
    throw Skip("needs compute capability " + dotted(least) + ", " + name_ + " has " + dotted(here));
  }

 private:
  int ordinal_;
  std::string name_;
};

// Waits for all that was queued on this rank's devices, in whatever stream; the current device stays.
inline void synchronise_devices(const Case& run) {
  int current = 0;
  check(cudaGetDevice(&current), "cudaGetDevice");
  for (std::uint32_t i = 0; i < run.device_count(); ++i) {
    check(cudaSetDevice(run.device(i).ordinal), "cudaSetDevice");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  check(cudaSetDevice(current), "cudaSetDevice");
}

}  // namespace assay::cuda
