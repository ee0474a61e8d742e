// SPDX-License-Identifier: Apache-2.0
//
// The state of the L2 cache before each timed iteration.
#pragma once

#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/units.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::cuda {

// A ring of buffer sets is larger than the cache for good if it holds this many times as much.
inline constexpr std::uint64_t kRotatingCaches = 5;
// A ring of more sets takes longer to make and to go round than anything in it is worth.
inline constexpr std::uint64_t kMostSets = 16384;
// A flush writes this many times as much as the cache holds.
inline constexpr std::uint64_t kFlushedCaches = 2;

// How many buffer sets of this many bytes make a ring that no iteration finds in the cache.
inline std::uint64_t rotating_sets(const Device& device, std::uint64_t bytes_per_set) {
  const std::uint64_t wanted = kRotatingCaches * device.l2_bytes();
  return bytes_per_set == 0 ? 1 : ceil_div(wanted, bytes_per_set);
}

// Puts other data into the L2 cache.
class CacheFlush {
 public:
  explicit CacheFlush(const Device& device) : buffer_(device, kFlushedCaches * device.l2_bytes()) {}

  void enqueue(cudaStream_t stream) const {
    ASSAY_CUDA_CHECK(cudaMemsetAsync(buffer_.data(), 0, buffer_.bytes(), stream));
  }

 private:
  DeviceBuffer<std::byte> buffer_;
};

}  // namespace assay::cuda
