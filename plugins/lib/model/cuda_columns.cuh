// SPDX-License-Identifier: Apache-2.0
//
// Sums over the columns of a matrix, in two kernels: pieces of rows, each in a block of its own, then the pieces
// in a fixed order. What the first reads may be made by it on the way.
#pragma once

#include "lib/model/cuda_lanes.cuh"

#include <assay/cuda/error.hpp>

#include <cstddef>
#include <cuda_runtime.h>

namespace assay::plugins::model::device {

inline constexpr unsigned kColumnThreads = 128;

// Calls `step(row, column, values)` for each N numbers of a row, which sets them, and adds them up by column.
template <int N, class Step>
__global__ void __launch_bounds__(kColumnThreads)
    column_pieces_kernel(Step step, std::size_t rows, std::size_t width, std::size_t rows_of_piece,
                         float* partial) {
  const std::size_t column = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * N;
  if (column >= width) return;
  const std::size_t first = blockIdx.y * rows_of_piece;
  const std::size_t last = first + rows_of_piece < rows ? first + rows_of_piece : rows;
  float sums[N] = {};
#pragma unroll 4
  for (std::size_t row = first; row < last; ++row) {
    float values[N];
    step(row, column, values);
#pragma unroll
    for (int i = 0; i < N; ++i) sums[i] += values[i];
  }
  store(partial + blockIdx.y * width + column, sums);
}

// Where the sums of up to three matrices side by side go; null: nowhere.
template <class P>
struct ColumnTargets {
  P* to[3] = {};
  bool keep = false;
};

template <class P>
__global__ void __launch_bounds__(256)
    columns_kernel(const float* partial, std::size_t pieces, std::size_t width, std::size_t all,
                   ColumnTargets<P> targets) {
  __shared__ float sums[8][33];
  const std::size_t column = std::size_t{blockIdx.x} * 32 + threadIdx.x;
  float sum = 0;
  if (column < all) {
    for (std::size_t piece = threadIdx.y; piece < pieces; piece += 8) sum += partial[piece * all + column];
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= all) return;
  for (int i = 1; i < 8; ++i) sum += sums[i][threadIdx.x];
  P* const to = targets.to[column / width];
  if (to == nullptr) return;
  P& target = to[column % width];
  target = rounded_to<P>(targets.keep ? number_of(target) + sum : sum);
}

// The second kernel: `pieces` rows of `sections` · width partial sums.
template <class P>
void add_pieces(cudaStream_t queue, const float* partial, std::size_t pieces, std::size_t width,
                std::size_t sections, const ColumnTargets<P>& targets) {
  const std::size_t all = width * sections;
  columns_kernel<P><<<static_cast<unsigned>((all + 31) / 32), dim3(32, 8), 0, queue>>>(partial, pieces, width,
                                                                                       all, targets);
  ASSAY_CUDA_CHECK_LAUNCH("columns");
}

// Both. `width` is a multiple of N; `pieces` as column_pieces() says, whose sums `partial` holds.
template <int N, class P, class Step>
void sum_columns(cudaStream_t queue, const Step& step, std::size_t rows, std::size_t width,
                 std::size_t pieces, float* partial, P* to, bool keep) {
  const std::size_t rows_of_piece = (rows + pieces - 1) / pieces,
                    used = (rows + rows_of_piece - 1) / rows_of_piece;
  const std::size_t blocks = (width / N + kColumnThreads - 1) / kColumnThreads;
  column_pieces_kernel<N, Step>
      <<<dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(used)), kColumnThreads, 0, queue>>>(
          step, rows, width, rows_of_piece, partial);
  ASSAY_CUDA_CHECK_LAUNCH("pieces of columns");
  ColumnTargets<P> targets;
  targets.to[0] = to;
  targets.keep = keep;
  add_pieces(queue, partial, used, width, 1, targets);
}

}  // namespace assay::plugins::model::device
