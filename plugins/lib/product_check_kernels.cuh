// SPDX-License-Identifier: Apache-2.0
//
// Holding products against their inputs, on the device. Inputs are drawn again from the seed, so what is
// compared depends neither on the buffers nor on how the library read them.
#pragma once

#include "lib/findings.cuh"
#include "lib/two_sum.hpp"

#include <assay/cuda/fill.hpp>
#include <assay/data.hpp>
#include <assay/random.hpp>

#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>

namespace assay::plugins::gemm {

inline constexpr unsigned kCheckThreads = 256;
inline constexpr unsigned kMostRows = 16;  // of each product that are checked element by element

// Where the matrices of all products lie: `products` of them, one after another.
struct Places {
  std::uint64_t m, n, k, products;
  bool transpose_a, transpose_b;
  std::uint64_t a_stride, b_stride, c_stride;  // elements
};

struct Tolerances {
  double input_error, sum_error, result_error;  // see Arithmetic
  bool whole;                                   // every sum is exact, also after rounding: no error at all
};

template <class Element>
ASSAY_HOST_DEVICE double number(Element value) {
  if constexpr (std::is_arithmetic_v<Element>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

// Rounded once, to the nearest.
template <class Element>
__device__ Element rounded(double value) {
  if constexpr (std::is_same_v<Element, __half>) {
    return __double2half(value);
  } else if constexpr (std::is_same_v<Element, __nv_bfloat16>) {
    return __double2bfloat16(value);
  } else {
    return static_cast<Element>(value);
  }
}

// Matrices of rows × columns, row by row or transposed, as fill() writes them.
template <class Element>
struct Seeded {
  Data data;
  Random random;
  std::uint64_t stride, rows, columns;
  bool transposed;

  __device__ double at(std::uint64_t product, std::uint64_t row, std::uint64_t column) const {
    const std::uint64_t index = transposed ? column * rows + row : row * columns + column;
    return number(cuda::element_as<Element>(data, random, product * stride + index));
  }
};

// The sum over the block, in thread 0.
__device__ inline double block_sum(double value) {
  __shared__ double of_warp[32];
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, distance);
  }
  __syncthreads();  // the array may still be read from the sum before
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return 0;
  double sum = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) sum += of_warp[warp];
  return sum;
}

__device__ inline double block_sum(const TwoSum& sum) { return block_sum(sum.high()) + block_sum(sum.low()); }

__device__ inline double sign_at(const Random& signs, std::uint64_t j) {
  return (signs.bits(j) & 1U) != 0 ? 1 : -1;
}

// B·r for each product, and the sum of B's squares. One block for each row of B.
template <class B>
__global__ void project_kernel(Places places, Seeded<B> b, Random signs, double* projected, double* squares) {
  for (std::uint64_t item = blockIdx.x; item < places.products * places.k; item += gridDim.x) {
    const std::uint64_t product = item / places.k, l = item % places.k;
    TwoSum sum;
    double square = 0;
    for (std::uint64_t j = threadIdx.x; j < places.n; j += blockDim.x) {
      const double value = b.at(product, l, j);
      sum.add(value * sign_at(signs, j));
      square += value * value;
    }
    const double all = block_sum(sum);
    square = block_sum(square);
    if (threadIdx.x == 0) {
      projected[item] = all;
      atomicAdd(&squares[product], square);
    }
  }
}

// Freivalds' check of every row: C·r against A·(B·r) + bias·r. One block for each row.
//
// Roundings have signs as good as random, so in a row's sum they add up as their squares do. Rounding C's
// elements makes e_c·|row of C|; what a unit does to inputs makes e_in·|row of A|·|B| / √k at random and
// e_in·|row of C| where it always cuts; and adding up makes e_sum·|row of A|·|B|, however the sum is ordered
// (Higham, Accuracy and Stability, 3.5). Eight times that is the limit. The check's own sums are in twice
// double precision: rounded like those of a product in double precision, long rows would look wrong.
template <class A, class C>
__global__ void freivalds_kernel(Places places, Seeded<A> a, const C* c, const C* bias, Random signs,
                                 const double* projected, const double* squares, Tolerances tolerances,
                                 Findings* found) {
  constexpr double kFactor = 8;
  for (std::uint64_t item = blockIdx.x; item < places.products * places.m; item += gridDim.x) {
    const std::uint64_t product = item / places.m, i = item % places.m;
    TwoSum expected, actual;
    double norm_a = 0, norm_c = 0;
    for (std::uint64_t l = threadIdx.x; l < places.k; l += blockDim.x) {
      const double value = a.at(product, i, l);
      expected.add(value * projected[product * places.k + l]);
      norm_a += value * value;
    }
    const C* const row = c + product * places.c_stride + i * places.n;
    for (std::uint64_t j = threadIdx.x; j < places.n; j += blockDim.x) {
      const double value = number(row[j]);
      const double sign = sign_at(signs, j);
      actual.add(value * sign);
      norm_c += value * value;
      if (bias != nullptr) expected.add(number(bias[j]) * sign);
    }
    const double wanted = block_sum(expected), found_sum = block_sum(actual);
    norm_a = block_sum(norm_a);
    norm_c = block_sum(norm_c);
    if (threadIdx.x != 0) continue;
    const double difference = fabs(found_sum - wanted);
    const double inputs = sqrt(norm_a * squares[product]);
    const double k = static_cast<double>(places.k);
    const double limit = tolerances.whole
                             ? 0
                             : kFactor * ((tolerances.result_error + tolerances.input_error) * sqrt(norm_c) +
                                          (tolerances.input_error / sqrt(k) + tolerances.sum_error) * inputs);
    report(found, difference == 0 ? 0 : difference / limit, item);
  }
}

// The chosen rows of A, as numbers: rows[(product × count + r) × k + l].
template <class A>
__global__ void rows_kernel(Places places, Seeded<A> a, const std::uint64_t* chosen, unsigned count,
                            double* rows) {
  const std::uint64_t all = places.products * count * places.k;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < all; at += step) {
    const std::uint64_t l = at % places.k, row = at / places.k;
    rows[at] = a.at(row / count, chosen[row], l);
  }
}

__device__ inline double gelu_tanh(double x) {
  constexpr double kFactor = 0.7978845608028654;  // √(2/π)
  return 0.5 * x * (1 + tanh(kFactor * (x + 0.044715 * x * x * x)));
}

// Every element of the chosen rows. One thread for each column of each product.
template <class B, class C>
__global__ void elements_kernel(Places places, Seeded<B> b, const C* c, const C* bias, bool gelu,
                                const std::uint64_t* chosen, unsigned count, const double* rows,
                                Tolerances tolerances, Findings* found) {
  constexpr double kFactor = 8;
  constexpr double kTanhError = 0x1p-10;  // of the units' own tanh, in which libraries compute it
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t columns = places.products * places.n;
  for (std::uint64_t item = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; item < columns;
       item += step) {
    const std::uint64_t product = item / places.n, j = item % places.n;
    const double* const mine = rows + product * count * places.k;
    double sum[kMostRows] = {}, norm_a[kMostRows] = {}, norm_b = 0;
    for (std::uint64_t l = 0; l < places.k; ++l) {
      const double factor = b.at(product, l, j);
      norm_b += factor * factor;
#pragma unroll
      for (unsigned r = 0; r < kMostRows; ++r) {
        if (r >= count) break;
        const double value = mine[r * places.k + l];
        sum[r] += value * factor;
        if (!tolerances.whole) norm_a[r] += value * value;
      }
    }
#pragma unroll
    for (unsigned r = 0; r < kMostRows; ++r) {
      if (r >= count) break;
      const std::uint64_t i = chosen[product * count + r];
      const C actual = c[product * places.c_stride + i * places.n + j];
      const double before = sum[r] + (bias != nullptr ? number(bias[j]) : 0);
      const double expected = gelu ? gelu_tanh(before) : before;
      const double difference = fabs(number(actual) - expected);
      double share = 0;
      if (tolerances.whole) {
        share = number(actual) == number(rounded<C>(expected)) ? 0 : static_cast<double>(INFINITY);
      } else if (difference != 0) {
        const double k = static_cast<double>(places.k);
        const double limit =
            2 * tolerances.result_error * fabs(expected) + (gelu ? kTanhError * fabs(before) : 0) +
            kFactor * (tolerances.input_error / sqrt(k) + tolerances.sum_error) * sqrt(norm_a[r] * norm_b);
        share = difference / limit;
      }
      report(found, share, product * places.m * places.n + i * places.n + j);
    }
  }
}

__device__ inline std::uint64_t mixed(std::uint64_t bits) {  // MurmurHash3's finaliser, A. Appleby, 2011
  bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccdULL;
  bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return bits ^ (bits >> 33);
}

// A number for each product that changes with any bit of any element. One block for each row.
template <class C>
__global__ void digest_kernel(Places places, const C* c, unsigned long long* digests) {
  for (std::uint64_t item = blockIdx.x; item < places.products * places.m; item += gridDim.x) {
    const std::uint64_t product = item / places.m, i = item % places.m;
    const C* const row = c + product * places.c_stride + i * places.n;
    std::uint64_t sum = 0;
    for (std::uint64_t j = threadIdx.x; j < places.n; j += blockDim.x) {
      std::uint64_t bits = 0;
      memcpy(&bits, &row[j], sizeof(C));
      sum += mixed(mixed(i * places.n + j + 1) ^ bits);
    }
    atomicAdd(&digests[product], static_cast<unsigned long long>(sum));
  }
}

}  // namespace assay::plugins::gemm
