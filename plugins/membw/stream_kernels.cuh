// SPDX-License-Identifier: Apache-2.0
//
// STREAM's kernels on a GPU. A thread moves a few elements of 16 bytes, a block's threads side by side, and
// nothing loops: one wave of blocks after another sweeps over the arrays, which the memory likes better than
// fewer threads that come back for more.
#pragma once

#include "membw/launch_shapes.hpp"
#include "membw/stream_values.hpp"

#include <assay/cuda/error.hpp>

#include <cstdint>
#include <cuda_runtime.h>

namespace assay::plugins::membw {

// Two elements: what one access of 16 bytes moves.
using Vector = double2;
inline constexpr unsigned kWarp = 32;

// Arrays of `vectors` elements. `passes` times over them in one launch.
struct Sweep {
  Vector* a;
  const Vector* b;
  const Vector* c;
  std::uint64_t vectors;
  double* sums;  // of operations that give one: one a block, pass by pass
  unsigned passes;
};

template <Access access>
__device__ inline Vector load(const Vector* from) {
  return access == Access::streaming ? __ldcs(from) : __ldcg(from);
}

template <Access access>
__device__ inline void store(Vector* to, Vector value) {
  if constexpr (access == Access::streaming) {
    __stcs(to, value);
  } else {
    __stcg(to, value);
  }
}

// The sum over the block, in thread 0. At most 1024 threads.
__device__ inline double block_sum(double mine) {
  __shared__ double of_warps[kWarp];
  for (unsigned step = kWarp / 2; step > 0; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = mine;
  __syncthreads();
  if (threadIdx.x >= kWarp) return 0;
  mine = threadIdx.x < blockDim.x / kWarp ? of_warps[threadIdx.x] : 0;
  for (unsigned step = kWarp / 2; step > 0; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
  return mine;
}

template <Operation operation>
__device__ inline Vector element_of(Vector b, Vector c) {
  if constexpr (operation == Operation::write) return {kScalar, kScalar};
  if constexpr (operation == Operation::scale) return {kScalar * b.x, kScalar * b.y};
  if constexpr (operation == Operation::add) return {b.x + c.x, b.y + c.y};
  if constexpr (operation == Operation::triad) return {b.x + kScalar * c.x, b.y + kScalar * c.y};
  if constexpr (operation == Operation::dot) return {b.x * c.x, b.y * c.y};
  return b;  // read, copy
}

// Grid: blocks of one pass, passes.
template <Operation operation, unsigned unroll, Access access>
__global__ void sweep_kernel(Sweep sweep) {
  const std::uint64_t block_first = std::uint64_t{blockIdx.x} * blockDim.x * unroll;
  const std::uint64_t first = block_first + threadIdx.x;
  const bool whole = block_first + std::uint64_t{blockDim.x} * unroll <= sweep.vectors;
  Vector b[unroll], c[unroll];
#pragma unroll
  for (unsigned i = 0; i < unroll; ++i) {
    const std::uint64_t at = first + i * blockDim.x;
    const bool inside = whole || at < sweep.vectors;
    b[i] = c[i] = Vector{0, 0};
    if constexpr (reads_b(operation)) {
      if (inside) b[i] = load<access>(sweep.b + at);
    }
    if constexpr (reads_c(operation)) {
      if (inside) c[i] = load<access>(sweep.c + at);
    }
  }
  if constexpr (gives_sum(operation)) {
    double sum = 0;
#pragma unroll
    for (unsigned i = 0; i < unroll; ++i) {
      const Vector term = element_of<operation>(b[i], c[i]);
      sum += term.x + term.y;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) sweep.sums[std::uint64_t{blockIdx.y} * gridDim.x + blockIdx.x] = sum;
  } else {
#pragma unroll
    for (unsigned i = 0; i < unroll; ++i) {
      const std::uint64_t at = first + i * blockDim.x;
      if (whole || at < sweep.vectors) store<access>(sweep.a + at, element_of<operation>(b[i], c[i]));
    }
  }
}

using SweepKernel = void (*)(Sweep);

namespace detail {

template <Operation operation, Access access>
SweepKernel kernel_of(unsigned unroll) {
  switch (unroll) {
    case 1:
      return sweep_kernel<operation, 1, access>;
    case 2:
      return sweep_kernel<operation, 2, access>;
    case 4:
      return sweep_kernel<operation, 4, access>;
    case 8:
      return sweep_kernel<operation, 8, access>;
  }
  return nullptr;
}

template <Operation operation>
SweepKernel kernel_of(const Shape& shape) {
  return shape.access == Access::streaming ? kernel_of<operation, Access::streaming>(shape.unroll)
                                           : kernel_of<operation, Access::cached>(shape.unroll);
}

}  // namespace detail

// nullptr for a number of vectors that there is no kernel for.
inline SweepKernel kernel_of(Operation operation, const Shape& shape) {
  switch (operation) {
    case Operation::read:
      return detail::kernel_of<Operation::read>(shape);
    case Operation::write:
      return detail::kernel_of<Operation::write>(shape);
    case Operation::copy:
      return detail::kernel_of<Operation::copy>(shape);
    case Operation::scale:
      return detail::kernel_of<Operation::scale>(shape);
    case Operation::add:
      return detail::kernel_of<Operation::add>(shape);
    case Operation::triad:
      return detail::kernel_of<Operation::triad>(shape);
    case Operation::dot:
      return detail::kernel_of<Operation::dot>(shape);
    case Operation::random:
      break;
  }
  return nullptr;
}

inline void launch(cudaStream_t stream, Operation operation, const Shape& shape, const Sweep& sweep) {
  const dim3 grid(static_cast<unsigned>(blocks_of(shape, sweep.vectors)), sweep.passes);
  kernel_of(operation, shape)<<<grid, shape.threads, 0, stream>>>(sweep);
  ASSAY_CUDA_CHECK_LAUNCH("the sweep");
}

}  // namespace assay::plugins::membw
