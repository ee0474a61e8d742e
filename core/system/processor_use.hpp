// SPDX-License-Identifier: Apache-2.0
//
// Who had the processors: what /proc/stat counts, less what this process and all that it started used.
#pragma once

#include "model/processor_use.hpp"

#include <filesystem>
#include <vector>

namespace assay::system {

using model::ProcessorUse;

// Looks once when it is made and once more when it is asked. Linux counts in ticks of 10 ms, and lists the children of a
// process; where it does not, or /proc is another's, nothing is available and nobody is blamed.
class ProcessorWatch {
 public:
  // cpus: those of interest; empty: all that this process may use.
  explicit ProcessorWatch(std::vector<int> cpus, std::filesystem::path root = "/");
  // Since it was made. What of this process ran elsewhere counts as if it had not, so others are never blamed for it.
  [[nodiscard]] ProcessorUse use() const;

 private:
  struct Look {
    double total_s = 0, busy_s = 0, stolen_s = 0, own_s = 0;
    bool known = false;
  };
  [[nodiscard]] Look look() const;

  std::vector<int> cpus_;
  std::filesystem::path root_;
  Look first_;
};

}  // namespace assay::system
