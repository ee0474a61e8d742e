// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_low_rank.hpp"

#include <assay/cuda/error.hpp>

#include <algorithm>

namespace assay::plugins::model {
namespace {

constexpr unsigned kThreads = 256, kMany = 1024;

unsigned blocks_for(std::size_t numbers) {
  return static_cast<unsigned>(std::min<std::size_t>((numbers + kThreads - 1) / kThreads, 4096));
}

__global__ void draw_kernel(Random random, std::size_t numbers, float* q) {
  const std::size_t all = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < numbers; i += all)
    q[i] = static_cast<float>(random.normal(i));
}

// Of one block, the same for all of its threads.
__device__ double sum_of_block(double mine) {
  __shared__ double parts[kMany / 32];
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(0xffffffffu, mine, distance);
  __syncthreads();  // the parts of the sum before are read
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  double sum = 0;
  for (unsigned part = 0; part < kMany / 32; ++part) sum += parts[part];
  return sum;
}

// Each thread has rows of its own, so that only sums are waited for. Twice is enough, as on the host.
__global__ void __launch_bounds__(kMany) orthogonalise_kernel(std::size_t rows, std::size_t rank, float* p) {
  constexpr double kNothing = 1e-6;
  const auto dot = [&](std::size_t a, std::size_t b) {
    double mine = 0;
    for (std::size_t row = threadIdx.x; row < rows; row += kMany)
      mine += static_cast<double>(p[row * rank + a]) * static_cast<double>(p[row * rank + b]);
    return sum_of_block(mine);
  };
  for (std::size_t column = 0; column < rank; ++column) {
    const double before = sqrt(dot(column, column));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t earlier = 0; earlier < column; ++earlier) {
        const double along = dot(earlier, column);
        for (std::size_t row = threadIdx.x; row < rows; row += kMany) {
          p[row * rank + column] = static_cast<float>(static_cast<double>(p[row * rank + column]) -
                                                      along * static_cast<double>(p[row * rank + earlier]));
        }
      }
    }
    const double length = sqrt(dot(column, column));
    const double scale = length > kNothing * before ? 1 / length : 0;
    for (std::size_t row = threadIdx.x; row < rows; row += kMany)
      p[row * rank + column] = static_cast<float>(static_cast<double>(p[row * rank + column]) * scale);
  }
}

// A block for each column.
__global__ void __launch_bounds__(kThreads)
    revive_kernel(Random random, std::size_t columns, std::size_t rank, float* q) {
  const std::size_t column = blockIdx.x;
  int other = 0;
  for (std::size_t row = threadIdx.x; row < columns; row += kThreads)
    other |= q[row * rank + column] != 0 ? 1 : 0;
  if (__syncthreads_or(other) != 0) return;
  for (std::size_t row = threadIdx.x; row < columns; row += kThreads)
    q[row * rank + column] = static_cast<float>(random.normal(row * rank + column));
}

__global__ void take_away_kernel(std::size_t numbers, float share, const float* from, float* to) {
  const std::size_t all = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < numbers; i += all)
    to[i] -= share * from[i];
}

}  // namespace

void draw_columns(cudaStream_t stream, const Random& random, std::size_t numbers, float* q) {
  draw_kernel<<<blocks_for(numbers), kThreads, 0, stream>>>(random, numbers, q);
  ASSAY_CUDA_CHECK_LAUNCH("drawing columns");
}

void orthogonalise(cudaStream_t stream, std::size_t rows, std::size_t rank, float* p) {
  orthogonalise_kernel<<<1, kMany, 0, stream>>>(rows, rank, p);
  ASSAY_CUDA_CHECK_LAUNCH("orthogonal columns");
}

void revive(cudaStream_t stream, const Random& random, std::size_t columns, std::size_t rank, float* q) {
  revive_kernel<<<static_cast<unsigned>(rank), kThreads, 0, stream>>>(random, columns, rank, q);
  ASSAY_CUDA_CHECK_LAUNCH("columns that are nothing");
}

void take_away(cudaStream_t stream, std::size_t numbers, float share, const float* from, float* to) {
  take_away_kernel<<<blocks_for(numbers), kThreads, 0, stream>>>(numbers, share, from, to);
  ASSAY_CUDA_CHECK_LAUNCH("what is carried on");
}

}  // namespace assay::plugins::model
