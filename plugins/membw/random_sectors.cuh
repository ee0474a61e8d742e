// SPDX-License-Identifier: Apache-2.0
//
// Reads of single sectors, the least that the memory gives, in a random order that visits each once.
#pragma once

#include "lib/permutation.hpp"
#include "membw/stream_kernels.cuh"

#include <cstdint>
#include <cuda_runtime.h>

namespace assay::plugins::membw {

inline constexpr std::uint64_t kSectorBytes = 32;
inline constexpr unsigned kVectorsPerSector = kSectorBytes / sizeof(Vector);

// Two threads share a sector. Grid: blocks of one pass, passes.
template <unsigned unroll, Access access>
__global__ void random_kernel(Sweep sweep, Permutation order) {
  const std::uint64_t sectors = order.count();
  const unsigned pairs = blockDim.x / kVectorsPerSector;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * pairs * unroll + threadIdx.x / kVectorsPerSector;
  const unsigned half = threadIdx.x % kVectorsPerSector;
  Vector b[unroll];
#pragma unroll
  for (unsigned i = 0; i < unroll; ++i) {
    const std::uint64_t place = first + i * pairs;
    b[i] = Vector{0, 0};
    if (place < sectors) b[i] = load<access>(sweep.b + order(place) * kVectorsPerSector + half);
  }
  double sum = 0;
#pragma unroll
  for (unsigned i = 0; i < unroll; ++i) sum += b[i].x + b[i].y;
  sum = block_sum(sum);
  if (threadIdx.x == 0) sweep.sums[std::uint64_t{blockIdx.y} * gridDim.x + blockIdx.x] = sum;
}

inline void launch_random(cudaStream_t stream, const Shape& shape, const Sweep& sweep,
                          const Permutation& order) {
  const dim3 grid(static_cast<unsigned>(blocks_of(shape, sweep.vectors)), sweep.passes);
  const bool streaming = shape.access == Access::streaming;
  const auto kernel = shape.unroll == 4
                          ? streaming ? random_kernel<4, Access::streaming> : random_kernel<4, Access::cached>
                      : streaming ? random_kernel<8, Access::streaming>
                                  : random_kernel<8, Access::cached>;
  kernel<<<grid, shape.threads, 0, stream>>>(sweep, order);
  ASSAY_CUDA_CHECK_LAUNCH("random sectors");
}

}  // namespace assay::plugins::membw
