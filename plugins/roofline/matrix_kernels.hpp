// SPDX-License-Identifier: Apache-2.0
//
// Matrix units at work on operands that stay in shared memory or registers.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::plugins::roofline {

enum class MatrixType { fp64, tf32, fp16, bf16, fp8_e4m3, int8 };

// A core matrix of either operand: 8 rows of 16 bytes. The whole operand repeats it. Of fp64: 8 rows of 4.
inline constexpr unsigned kCoreRows = 8;
inline constexpr unsigned kCoreBytes = 128;

inline constexpr unsigned kMatrixThreads = 256;    // of a block
inline constexpr unsigned kProductsOfAGroup = 16;  // summed before the accumulators begin anew

// Elements of a core matrix's row.
constexpr unsigned row_elements(MatrixType type) {
  switch (type) {
    case MatrixType::fp64:
    case MatrixType::tf32:
      return 4;
    case MatrixType::fp16:
    case MatrixType::bf16:
      return 8;
    case MatrixType::fp8_e4m3:
    case MatrixType::int8:
      break;
  }
  return 16;
}

// Operations of one block for `groups` groups.
constexpr double operations_of_block(MatrixType type, unsigned groups) {
  const double products = static_cast<double>(groups) * kProductsOfAGroup;
  // 8 warps with 4 accumulators of 16 × 8 × 16; or 2 warp groups of 64 × 256 × two rows of a core matrix.
  if (type == MatrixType::fp64) return products * 8 * 4 * 2.0 * 16 * 8 * 16;
  return products * 2 * 2.0 * 64 * 256 * 2 * row_elements(type);
}

// How often a product of two rows of the core matrices stands in each sum: over `groups` groups in fp64,
// over the last group otherwise.
constexpr double repeats_in_sum(MatrixType type, unsigned groups) {
  return type == MatrixType::fp64 ? 4.0 * kProductsOfAGroup * groups : 2.0 * kProductsOfAGroup;
}

// Queues one launch of `blocks` blocks. `a` and `b` are the core matrices on the device. Thread t of the grid
// leaves in out[2t] and out[2t + 1] its two sums: of row (t % 32) / 4 of a with rows 2·(t % 4) and the one
// after it of b; NaN if its accumulators that should be equal are not.
void launch_matrix(MatrixType type, cudaStream_t stream, unsigned blocks, const void* a, const void* b,
                   unsigned groups, double* out);

}  // namespace assay::plugins::roofline
