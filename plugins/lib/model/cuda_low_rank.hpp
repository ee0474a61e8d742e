// SPDX-License-Identifier: Apache-2.0
//
// What low_rank.hpp does between its products, on a GPU: in fp32, in one order, so that equal numbers give equal bits.
#pragma once

#include <assay/random.hpp>

#include <cstddef>
#include <cuda_runtime_api.h>

namespace assay::plugins::model {

// Each queues one kernel.
void draw_columns(cudaStream_t stream, const Random& random, std::size_t numbers, float* q);
void orthogonalise(cudaStream_t stream, std::size_t rows, std::size_t rank, float* p);
void revive(cudaStream_t stream, const Random& random, std::size_t columns, std::size_t rank, float* q);
// to = to - share · from.
void take_away(cudaStream_t stream, std::size_t numbers, float share, const float* from, float* to);

}  // namespace assay::plugins::model
