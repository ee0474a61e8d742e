// SPDX-License-Identifier: Apache-2.0
//
// Multiply-adds of the ordinary units: on registers alone, and on what is read from memory.
#pragma once

#include "roofline/roofs.hpp"

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace assay::plugins::roofline {

inline constexpr unsigned kVectorThreads = 256;  // of a block
inline constexpr unsigned kBlocksPerMultiprocessor = 4;
inline constexpr unsigned kChains = 8;  // of multiply-adds in a thread
inline constexpr unsigned kRounds = 64;

// What differs between types. kSteps: multiply-adds of a chain in a round, which go from -kSteps/2 to
// kSteps/2 in steps of one, so that every value is a whole number that the type holds.
template <class Element>
struct Units;

template <>
struct Units<double> {
  static constexpr unsigned kSteps = 1024, kLanes = 1;
  static __device__ double of(float value) { return value; }
  static __device__ double multiply_add(double x, double a, double b) { return fma(x, a, b); }
  static __device__ float lane(double x, unsigned) { return static_cast<float>(x); }
};

template <>
struct Units<float> {
  static constexpr unsigned kSteps = 1024, kLanes = 1;
  static __device__ float of(float value) { return value; }
  static __device__ float multiply_add(float x, float a, float b) { return fmaf(x, a, b); }
  static __device__ float lane(float x, unsigned) { return x; }
};

template <>
struct Units<__half2> {
  static constexpr unsigned kSteps = 1024, kLanes = 2;
  static __device__ __half2 of(float value) { return __float2half2_rn(value); }
  static __device__ __half2 multiply_add(__half2 x, __half2 a, __half2 b) { return __hfma2(x, a, b); }
  static __device__ float lane(__half2 x, unsigned i) {
    return i % 2 == 0 ? __low2float(x) : __high2float(x);
  }
};

template <>
struct Units<__nv_bfloat162> {
  static constexpr unsigned kSteps = 480, kLanes = 2;
  static __device__ __nv_bfloat162 of(float value) { return __float2bfloat162_rn(value); }
  static __device__ __nv_bfloat162 multiply_add(__nv_bfloat162 x, __nv_bfloat162 a, __nv_bfloat162 b) {
    return __hfma2(x, a, b);
  }
  static __device__ float lane(__nv_bfloat162 x, unsigned i) {
    return i % 2 == 0 ? __low2float(x) : __high2float(x);
  }
};

// Operations of one thread of chains().
template <class Element>
constexpr double operations_of_thread() {
  return 2.0 * Units<Element>::kLanes * Units<Element>::kSteps * kChains * kRounds;
}

// What a thread of chains() leaves: in each round chain c comes from -kSteps/2 + c to kSteps/2 + c.
template <class Element>
constexpr float sum_of_thread() {
  return static_cast<float>(kRounds) * (kChains * (Units<Element>::kSteps / 2) + kChains * (kChains - 1) / 2);
}

// Both factors are 1, which the compiler does not know.
template <class Element>
__global__ __launch_bounds__(kVectorThreads) void chains_kernel(float one, float step, float* out) {
  using Of = Units<Element>;
  const Element a = Of::of(one), b = Of::of(step);
  Element first[kChains];
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) {
    first[c] = Of::of(one * (static_cast<float>(c) - static_cast<float>(Of::kSteps / 2)));
  }
  float sum = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    Element x[kChains];
#pragma unroll
    for (unsigned c = 0; c < kChains; ++c) x[c] = first[c];
#pragma unroll 16
    for (unsigned i = 0; i < Of::kSteps; ++i) {
#pragma unroll
      for (unsigned c = 0; c < kChains; ++c) x[c] = Of::multiply_add(x[c], a, b);
    }
#pragma unroll
    for (unsigned c = 0; c < kChains; ++c) sum += Of::lane(x[c], c);
  }
  out[blockIdx.x * kVectorThreads + threadIdx.x] = sum;
}

// Each thread reads this many vectors of 16 bytes, those of a block side by side.
inline constexpr unsigned kVectorsOfThread = 4;
inline constexpr std::uint64_t kBytesOfBlock =
    std::uint64_t{kVectorThreads} * kVectorsOfThread * kVectorBytes;  // 16 KiB

// Multiply-adds on every vector that is read; the block's sum goes to out[block].
template <class Element>
__global__ __launch_bounds__(kVectorThreads) void sweep_kernel(const uint4* in, Element one, Steps steps,
                                                               double* out) {
  constexpr unsigned kElements = kVectorBytes / sizeof(Element);
  union Vector {
    uint4 bits;
    Element x[kElements];
  };
  Vector v[kVectorsOfThread];
  const uint4* from = in + std::uint64_t{blockIdx.x} * (kVectorThreads * kVectorsOfThread) + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < kVectorsOfThread; ++i) v[i].bits = __ldcs(from + i * kVectorThreads);
#pragma unroll 4
  for (unsigned step = 0; step < steps.whole; ++step) {
#pragma unroll
    for (unsigned e = 0; e < kElements; ++e) {
#pragma unroll
      for (auto& each : v) each.x[e] = fma(each.x[e], one, one);
    }
  }
#pragma unroll
  for (unsigned e = 0; e + 1 < kElements; ++e) {
    if (e < steps.tail) {
#pragma unroll
      for (auto& each : v) each.x[e] = fma(each.x[e], one, one);
    }
  }
  Element sum = 0;
#pragma unroll
  for (const auto& each : v) {
#pragma unroll
    for (const Element x : each.x) sum += x;
  }
  __shared__ Element of_warp[kVectorThreads / 32];
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, distance);
  }
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double total = 0;
#pragma unroll
  for (const Element each : of_warp) total += each;
  out[blockIdx.x] = total;
}

// z = a·x + z, and y = gelu(x): a vector of four floats a thread.
__device__ inline float gelu(float x) {
  const float inner = x * fmaf(static_cast<float>(kGeluC1), x * x, static_cast<float>(kGeluC0));
  return 0.5f * x * (1.0f + tanhf(inner));
}

static __global__ __launch_bounds__(kVectorThreads) void axpy_kernel(float a, const float4* x,
                                                                     const float4* y, float4* z) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kVectorThreads + threadIdx.x;
  const float4 p = __ldcs(x + i), q = __ldcs(y + i);
  __stcs(z + i, make_float4(fmaf(a, p.x, q.x), fmaf(a, p.y, q.y), fmaf(a, p.z, q.z), fmaf(a, p.w, q.w)));
}

static __global__ __launch_bounds__(kVectorThreads) void gelu_kernel(const float4* x, float4* z) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kVectorThreads + threadIdx.x;
  const float4 p = __ldcs(x + i);
  __stcs(z + i, make_float4(gelu(p.x), gelu(p.y), gelu(p.z), gelu(p.w)));
}

}  // namespace assay::plugins::roofline
