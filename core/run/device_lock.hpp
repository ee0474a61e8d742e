// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/descriptor.hpp"
#include "system/inventory.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace assay::run {

// Keeps other runs off the devices for as long as it lives: two runs on one device would measure each other.
// One file per UUID, locked with flock, so that a run that was killed leaves no lock behind.
class DeviceLocks {
 public:
  // Devices without a UUID are not locked. Throws Error "device.locked", which names the device and the
  // process that has it, or "device.lock-unavailable" if the folder cannot be used.
  DeviceLocks(const std::filesystem::path& folder, const std::vector<const system::Device*>& devices);
  DeviceLocks(const DeviceLocks&) = delete;  // owns files
  DeviceLocks& operator=(const DeviceLocks&) = delete;
  ~DeviceLocks();

 private:
  struct Lock {
    std::filesystem::path path;
    Descriptor file;
  };
  void release();
  std::vector<Lock> locks_;
};

}  // namespace assay::run
