// SPDX-License-Identifier: Apache-2.0
//
// Every element of products of whole numbers, bit for bit.
#pragma once

#include "lib/product_check_kernels.cuh"

namespace assay::plugins::gemm {

// 256 threads for each tile of C; each sums kEach × kEach elements, kTile / kEach apart. Sums of whole
// numbers that stay below 2^24, as they do where a result of 16 bits is exact (Arithmetic::exact_below), are
// exact in single precision in any order.
template <class A, class B, class C>
__global__ void exact_kernel(Places places, Seeded<A> a, Seeded<B> b, const C* c, const C* bias,
                             Findings* found) {
  constexpr unsigned kTile = 64, kDepth = 16, kEach = 4, kApart = kTile / kEach;
  static_assert(kApart * kApart == kCheckThreads);
  __shared__ float left[kDepth][kTile], right[kDepth][kTile];
  const unsigned mine_i = threadIdx.x / kApart, mine_j = threadIdx.x % kApart;
  const std::uint64_t across = (places.n + kTile - 1) / kTile, down = (places.m + kTile - 1) / kTile;
  for (std::uint64_t tile = blockIdx.x; tile < places.products * across * down; tile += gridDim.x) {
    const std::uint64_t product = tile / (across * down);
    const std::uint64_t row = tile / across % down * kTile, column = tile % across * kTile;
    float sum[kEach][kEach] = {};
    for (std::uint64_t begin = 0; begin < places.k; begin += kDepth) {
      for (unsigned at = threadIdx.x; at < kDepth * kTile; at += kCheckThreads) {
        const unsigned deep = at / kTile, aside = at % kTile;
        const std::uint64_t l = begin + deep, i = row + aside, j = column + aside;
        const bool inside = l < places.k;
        left[deep][aside] = inside && i < places.m ? static_cast<float>(a.at(product, i, l)) : 0;
        right[deep][aside] = inside && j < places.n ? static_cast<float>(b.at(product, l, j)) : 0;
      }
      __syncthreads();
      for (unsigned deep = 0; deep < kDepth; ++deep) {
#pragma unroll
        for (unsigned r = 0; r < kEach; ++r)
#pragma unroll
          for (unsigned s = 0; s < kEach; ++s)
            sum[r][s] += left[deep][mine_i + r * kApart] * right[deep][mine_j + s * kApart];
      }
      __syncthreads();  // all have read what is written next
    }
#pragma unroll
    for (unsigned r = 0; r < kEach; ++r) {
#pragma unroll
      for (unsigned s = 0; s < kEach; ++s) {
        const std::uint64_t i = row + mine_i + r * kApart, j = column + mine_j + s * kApart;
        if (i >= places.m || j >= places.n) continue;
        const double whole = static_cast<double>(sum[r][s]) + (bias != nullptr ? number(bias[j]) : 0);
        const C actual = c[product * places.c_stride + i * places.n + j];
        if (number(actual) != number(rounded<C>(whole)))  // also if it is not a number
          report(found, static_cast<double>(INFINITY), product * places.m * places.n + i * places.n + j);
      }
    }
  }
}

}  // namespace assay::plugins::gemm
