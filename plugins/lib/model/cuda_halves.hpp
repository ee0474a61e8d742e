// SPDX-License-Identifier: Apache-2.0
//
// Gradients in fp16, which are sent in place of those in fp32.
#pragma once

#include <cstddef>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

namespace assay::plugins::model {

// Each queues one kernel. `size` is a multiple of 4; arrays are aligned to 16 bytes.
void round_to_halves(cudaStream_t stream, std::size_t size, const float* from, __half* to);
void widen_halves(cudaStream_t stream, std::size_t size, const __half* from, float* to);

}  // namespace assay::plugins::model
