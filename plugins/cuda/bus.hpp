// SPDX-License-Identifier: Apache-2.0
//
// What the kernel shows of NVIDIA's GPUs, whether the driver answers for them or not: the PCI bus, the
// driver's own list, and the device nodes by which a process reaches them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::cuda {

// "0000:19:00.0" of what sysfs, /proc, NVML and CUDA write each in its own way: "00000000:19:00.0", "0000:1A:…".
[[nodiscard]] std::string pci_address(std::string text);

struct BusGpu {
  std::string pci;
  std::string driver;  // that it is bound to, "nvidia", "vfio-pci"; "" if to none
};

struct DriverGpu {
  std::string pci;
  int minor = -1;  // of /dev/nvidiaN; -1 if unknown
};

// What may be done with /dev/nvidiaN.
enum class Node { absent, refused, open };

struct Kernel {
  std::optional<std::vector<BusGpu>> bus;        // no value: sysfs does not show any
  std::optional<std::vector<DriverGpu>> driver;  // no value: /proc/driver/nvidia/gpus is not there or empty
  bool container = false;

  std::string root;
  // Of this minor number. What a control group forbids is refused, and nothing is opened.
  [[nodiscard]] Node node(int minor) const;
};

// `root` is "/", or a folder with copies of /sys, /proc and /dev.
[[nodiscard]] Kernel read_kernel(const std::string& root);

}  // namespace assay::plugins::cuda
