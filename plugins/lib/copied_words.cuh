// SPDX-License-Identifier: Apache-2.0
//
// The words that copies carry, written by the device that they leave.
#pragma once

#include "lib/copied_words.hpp"

#include <assay/cuda/error.hpp>

#include <cstdint>
#include <cuda_runtime.h>

namespace assay::plugins {
namespace detail {
// Names belong to the plugin that includes this: two plugins in one process must not share kernels.
namespace {

__global__ void write_words_kernel(CopiedWord* words, std::uint64_t count, CopiedWords pattern) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    words[i] = pattern(i);
  }
}

}  // namespace
}  // namespace detail

// Queues writing `count` words of the pattern.
inline void write_words(cudaStream_t stream, CopiedWord* words, std::uint64_t count, CopiedWords pattern) {
  detail::write_words_kernel<<<4096, 256, 0, stream>>>(words, count, pattern);
  ASSAY_CUDA_CHECK_LAUNCH("write_words");
}

}  // namespace assay::plugins
