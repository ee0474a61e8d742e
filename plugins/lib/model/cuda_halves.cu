// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_halves.hpp"

#include <assay/cuda/error.hpp>

namespace assay::plugins::model {
namespace {

constexpr unsigned kThreads = 256;

struct alignas(8) FourHalves {
  __half2 low, high;
};

__global__ void __launch_bounds__(kThreads) round_kernel(std::size_t size, const float* from, __half* to) {
  const std::size_t i = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * 4;
  if (i >= size) return;
  const float4 four = *reinterpret_cast<const float4*>(from + i);
  FourHalves halves;
  halves.low = __floats2half2_rn(four.x, four.y);
  halves.high = __floats2half2_rn(four.z, four.w);
  *reinterpret_cast<FourHalves*>(to + i) = halves;
}

__global__ void __launch_bounds__(kThreads) widen_kernel(std::size_t size, const __half* from, float* to) {
  const std::size_t i = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * 4;
  if (i >= size) return;
  const FourHalves halves = *reinterpret_cast<const FourHalves*>(from + i);
  const float2 low = __half22float2(halves.low), high = __half22float2(halves.high);
  *reinterpret_cast<float4*>(to + i) = make_float4(low.x, low.y, high.x, high.y);
}

unsigned blocks_for(std::size_t size) { return static_cast<unsigned>((size / 4 + kThreads - 1) / kThreads); }

}  // namespace

void round_to_halves(cudaStream_t stream, std::size_t size, const float* from, __half* to) {
  round_kernel<<<blocks_for(size), kThreads, 0, stream>>>(size, from, to);
  ASSAY_CUDA_CHECK_LAUNCH("rounding gradients to fp16");
}

void widen_halves(cudaStream_t stream, std::size_t size, const __half* from, float* to) {
  widen_kernel<<<blocks_for(size), kThreads, 0, stream>>>(size, from, to);
  ASSAY_CUDA_CHECK_LAUNCH("widening gradients in fp16");
}

}  // namespace assay::plugins::model
