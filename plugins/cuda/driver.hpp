// SPDX-License-Identifier: Apache-2.0
//
// What CUDA itself shows to this process, by the driver's interface and without a context.
// CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER and MIG are respected by the driver, so the numbers are those that
// programs see.
#pragma once

#include "cuda/library.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::cuda {

struct CudaDevice {
  std::string model;
  std::string uuid;    // 32 hexadecimal digits with dashes, without the prefix GPU- or MIG-
  bool slice = false;  // of a GPU, by MIG
  std::string pci;     // "0000:19:00.0"
  std::uint64_t memory_bytes = 0;
  int major = 0, minor = 0;
  int multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
  int memory_bus_bits = 0;
  int copy_engines = 0;
};

class Driver {
 public:
  // Why there are no devices, and what to do; empty if devices() may be asked.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  Driver();

  [[nodiscard]] std::vector<CudaDevice> devices() const;
  // The CUDA version that the driver supports, "13.0"; empty if unknown.
  [[nodiscard]] std::string version() const;

 private:
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const;
  [[nodiscard]] int attribute(int device, int which) const;

  Library library_{"libcuda.so.1"};
  std::string problem_;
};

}  // namespace assay::plugins::cuda
