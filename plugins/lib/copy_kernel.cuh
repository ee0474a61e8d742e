// SPDX-License-Identifier: Apache-2.0
//
// A copy over a link, to the host or to another device, by the loads and stores of a kernel. The link is
// slower than the memory at its ends, so few threads fill it; what differs is how many requests are under
// way, and in which order they come.
#pragma once

#include <assay/cuda/error.hpp>

#include <cstdint>
#include <cuda_runtime.h>
#include <string>
#include <vector>

namespace assay::plugins {

struct CopyShape {
  unsigned blocks;
  unsigned threads;
  unsigned unroll;  // loads of 16 bytes that a thread has under way
};

namespace detail {
// Names belong to the plugin that includes this: two plugins in one process must not share kernels.
namespace {

template <unsigned unroll>
__global__ void copy_kernel(uint4* to, const uint4* from, std::uint64_t count) {
  const std::uint64_t tile = std::uint64_t{blockDim.x} * unroll;
  for (std::uint64_t begin = blockIdx.x * tile; begin < count; begin += gridDim.x * tile) {
    const std::uint64_t first = begin + threadIdx.x;
    uint4 held[unroll];
#pragma unroll
    for (unsigned i = 0; i < unroll; ++i) {
      if (first + i * blockDim.x < count) held[i] = __ldcs(from + first + i * blockDim.x);
    }
#pragma unroll
    for (unsigned i = 0; i < unroll; ++i) {
      if (first + i * blockDim.x < count) __stcs(to + first + i * blockDim.x, held[i]);
    }
  }
}

}  // namespace
}  // namespace detail

// The preferred first.
inline std::vector<CopyShape> copy_shapes_to_try(unsigned multiprocessors) {
  std::vector<CopyShape> shapes;
  for (const unsigned unroll : {4u, 8u}) {
    for (const unsigned share : {1u, 4u, 16u}) {
      const unsigned blocks = multiprocessors / share;
      shapes.push_back({blocks == 0 ? 1 : blocks, 512, unroll});
    }
    shapes.push_back({4 * multiprocessors, 512, unroll});
  }
  return shapes;
}

// "132 blocks of 512 threads, 4 × 16 B a thread"
inline std::string text_of(const CopyShape& shape) {
  return std::to_string(shape.blocks) + " blocks of " + std::to_string(shape.threads) + " threads, " +
         std::to_string(shape.unroll) + " × 16 B a thread";
}

inline void launch_copy(cudaStream_t stream, const CopyShape& shape, void* to, const void* from,
                        std::uint64_t bytes) {
  const auto kernel = shape.unroll == 4 ? detail::copy_kernel<4> : detail::copy_kernel<8>;
  kernel<<<shape.blocks, shape.threads, 0, stream>>>(static_cast<uint4*>(to), static_cast<const uint4*>(from),
                                                     bytes / sizeof(uint4));
  ASSAY_CUDA_CHECK_LAUNCH("the copy");
}

}  // namespace assay::plugins
