// SPDX-License-Identifier: Apache-2.0
//
// What kernels of a training step share: accesses of 16 bytes whatever the type, and sums over a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <type_traits>

namespace assay::plugins::model {

using Bf16 = __nv_bfloat16;

// Numbers that a thread takes of arrays whose narrowest type is Element.
template <class Element>
inline constexpr int kLanesOf = 16 / static_cast<int>(sizeof(Element));

template <class Element>
__device__ inline float number_of(Element value) {
  if constexpr (std::is_same_v<Element, float>) {
    return value;
  } else {
    return __bfloat162float(value);
  }
}

template <class Element>
__device__ inline Element rounded_to(float value) {
  if constexpr (std::is_same_v<Element, float>) {
    return value;
  } else {
    return __float2bfloat16(value);
  }
}

namespace detail {

// The widest access that the bytes of a thread's numbers are a multiple of.
template <int bytes>
using Piece =
    std::conditional_t<bytes % 16 == 0, uint4,
                       std::conditional_t<bytes % 8 == 0, uint2,
                                          std::conditional_t<bytes % 4 == 0, std::uint32_t, std::uint16_t>>>;

}  // namespace detail

// `from` is aligned to the size of N elements, or to 16 bytes where those are more.
template <int N, class Element>
__device__ inline void load(const Element* from, float (&to)[N]) {
  using Piece = detail::Piece<N* static_cast<int>(sizeof(Element))>;
  constexpr int kPieces = N * static_cast<int>(sizeof(Element)) / static_cast<int>(sizeof(Piece));
  Piece pieces[kPieces];
#pragma unroll
  for (int i = 0; i < kPieces; ++i) pieces[i] = reinterpret_cast<const Piece*>(from)[i];
  Element elements[N];
  memcpy(elements, pieces, sizeof(elements));
#pragma unroll
  for (int i = 0; i < N; ++i) to[i] = number_of(elements[i]);
}

template <int N, class Element>
__device__ inline void store(Element* to, const float (&from)[N]) {
  using Piece = detail::Piece<N* static_cast<int>(sizeof(Element))>;
  constexpr int kPieces = N * static_cast<int>(sizeof(Element)) / static_cast<int>(sizeof(Piece));
  Element elements[N];
#pragma unroll
  for (int i = 0; i < N; ++i) elements[i] = rounded_to<Element>(from[i]);
  Piece pieces[kPieces];
  memcpy(pieces, elements, sizeof(pieces));
#pragma unroll
  for (int i = 0; i < kPieces; ++i) reinterpret_cast<Piece*>(to)[i] = pieces[i];
}

struct Sum {
  static __device__ float of(float a, float b) { return a + b; }
};
struct Largest {
  static __device__ float of(float a, float b) { return fmaxf(a, b); }
};

// Over the 32 threads of a warp, in all of them.
template <class How>
__device__ inline float over_warp(float value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = How::of(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

// Over a block of whole warps, in all of its threads. `shared` holds 32 numbers; it may be used again at once.
template <class How>
__device__ inline float over_block(float value, float* shared) {
  value = over_warp<How>(value);
  const unsigned warps = blockDim.x / 32;
  if (warps == 1) return value;
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  float all = shared[0];
  for (unsigned warp = 1; warp < warps; ++warp) all = How::of(all, shared[warp]);
  __syncthreads();
  return all;
}

// Two sums at once; `shared` holds 64 numbers.
__device__ inline void sum_over_block(float& a, float& b, float* shared) {
  a = over_warp<Sum>(a);
  b = over_warp<Sum>(b);
  const unsigned warps = blockDim.x / 32;
  if (warps == 1) return;
  if (threadIdx.x % 32 == 0) {
    shared[threadIdx.x / 32] = a;
    shared[32 + threadIdx.x / 32] = b;
  }
  __syncthreads();
  a = shared[0];
  b = shared[32];
  for (unsigned warp = 1; warp < warps; ++warp) {
    a += shared[warp];
    b += shared[32 + warp];
  }
  __syncthreads();
}

// With as many numbers at once as divide `width`.
template <class C, class With>
void with_lanes(std::size_t width, const With& with) {
  constexpr int kLanes = kLanesOf<C>;
  if (width % kLanes == 0) {
    with(std::integral_constant<int, kLanes>());
  } else {
    with(std::integral_constant<int, 1>());
  }
}

// Threads of a block that takes a row of `pieces` at a time.
inline unsigned threads_for(std::size_t pieces, unsigned most = 512) {
  const std::size_t warps = (pieces + 31) / 32;
  return static_cast<unsigned>(warps * 32 < most ? warps * 32 : most);
}

}  // namespace assay::plugins::model
