// SPDX-License-Identifier: Apache-2.0
#include "worker/memory.hpp"

#include "text/text.hpp"

#include <algorithm>
#include <cstdlib>

namespace assay::worker {

void* AllocationTracker::allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(alignment, sizeof(void*)), std::max<std::size_t>(bytes, 1)) != 0)
    return nullptr;
  const std::lock_guard lock(mutex_);
  blocks_.emplace(memory, bytes);
  return memory;
}

bool AllocationTracker::free(void* memory) {
  if (memory == nullptr) return true;
  {
    const std::lock_guard lock(mutex_);
    if (blocks_.erase(memory) == 0) return false;
  }
  std::free(memory);
  return true;
}

std::string AllocationTracker::leaked() const {
  const std::lock_guard lock(mutex_);
  if (blocks_.empty()) return {};
  std::size_t bytes = 0;
  for (const auto& [memory, size] : blocks_) bytes += size;
  return count_of(blocks_.size(), "block") + ", " + std::to_string(bytes) + " bytes";
}

}  // namespace assay::worker
