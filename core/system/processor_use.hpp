// SPDX-License-Identifier: Apache-2.0
//
// Who used the processors: the counts of /proc/stat, less the use of this process and of all that it started.
#pragma once

#include "model/processor_use.hpp"

#include <filesystem>
#include <vector>

namespace assay::system {

using model::ProcessorUse;

// Reads the counts when it is made and again when it is asked. Linux counts in ticks of 10 ms, and lists the children of
// a process; where it does not, or /proc belongs to another system, nothing is available and no use is reported.
class ProcessorWatch {
 public:
  // cpus: the processors to look at; empty: all that this process may use.
  explicit ProcessorWatch(std::vector<int> cpus, std::filesystem::path root = "/");
  // Since it was made. What of this process ran elsewhere counts as if it had not, so others are never blamed for it.
  [[nodiscard]] ProcessorUse use() const;

 private:
  struct CpuTimes {
    double total_s = 0, busy_s = 0, stolen_s = 0, own_s = 0;
    bool known = false;
  };
  [[nodiscard]] CpuTimes look() const;

  std::vector<int> cpus_;
  std::filesystem::path root_;
  CpuTimes first_;
};

}  // namespace assay::system
