// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace assay::worker {

// Counts the host memory that a plugin asks for through assay.memory/1. Any thread.
class AllocationTracker {
 public:
  // nullptr if there is not enough, or if alignment is not a power of two. Pages are not touched.
  void* allocate(std::size_t bytes, std::size_t alignment);
  // False if the address was not allocated here, or was freed already; nothing is done then.
  bool free(void* memory);
  // "3 blocks, 4096 bytes", or "" if all is freed.
  [[nodiscard]] std::string leaked() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<void*, std::size_t> blocks_;
};

}  // namespace assay::worker
