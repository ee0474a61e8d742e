// SPDX-License-Identifier: Apache-2.0
//
// Bias and GELU in one kernel and in two: one 16-byte access of each array a thread, streaming.
#pragma once

#include "fusion/byte_model.hpp"
#include "lib/findings.cuh"

#include <assay/cuda/fill.hpp>

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

namespace assay::plugins::fusion {

inline constexpr unsigned kThreads = 256;
inline constexpr unsigned kAccess_bytes = 16;

template <class Element>
inline constexpr unsigned kLanes = kAccess_bytes / sizeof(Element);

// The units' own instructions: a few 2^-23 off, denormals count as zero.
__device__ inline float exp2_of(float x) {
  asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
  return x;
}
__device__ inline float inverse_of(float x) {
  asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(x));
  return x;
}

// 0.5·x·(1 + erf(x/√2)), to about 2^-22 of x: erf by M. Abramowitz and I. Stegun, Handbook of Mathematical
// Functions, 1964, 7.1.26, which takes half of erff's instructions. With those, memory would have to wait for
// 16-bit types.
__device__ inline float gelu_erf_short(float x) {
  const float magnitude = fabsf(x);
  const float t = inverse_of(1 + 0.3275911F * 0.70710678F * magnitude);
  const float half_sum =
      t *
      (0.127414796F + t * (-0.142248368F + t * (0.7107068705F + t * (-0.7265760135F + t * 0.5307027145F))));
  const float tail = half_sum * exp2_of(-0.72134752F * x * x);  // 0.5·erfc(|x|/√2)
  return fmaxf(x, 0.0F) - magnitude * tail;
}

// 0.5·x·(1 + tanh(u)) with u = √(2/π)·(x + 0.044715·x³) is x / (1 + e^(-2u)), without cancellation.
__device__ inline float gelu_tanh(float x) {
  constexpr float kFirst = -2.3022082F, kThird = -0.10294324F;  // -2·√(2/π)·log2(e), and times 0.044715
  return x * inverse_of(1 + exp2_of(x * (kFirst + kThird * x * x)));
}

// What stands after the sum of x and b: GELU, or nothing.
template <class Element, Gelu gelu>
struct GeluAfter {
  static __device__ float of(float x) {
    if constexpr (gelu == Gelu::tanh) {
      return gelu_tanh(x);
    } else if constexpr (sizeof(Element) < sizeof(float)) {
      return gelu_erf_short(x);
    } else {
      return 0.5F * x * (1 + erff(x * 0.70710678F));
    }
  }
};
struct NothingAfter {
  static __device__ float of(float x) { return x; }
};

template <class Element>
union Vector {
  uint4 bits;
  Element lanes[kLanes<Element>];
  __device__ Vector() {}
};

template <class Element>
__device__ Vector<Element> load(const Element* from, std::uint32_t vector) {
  Vector<Element> value;
  value.bits = __ldcs(reinterpret_cast<const uint4*>(from) + vector);
  return value;
}

// The bias of a vector: a row's, which many rows read again, or one of the whole shape.
template <class Element, Bias bias>
__device__ Vector<Element> load_bias(const Element* from, std::uint32_t vector, std::uint32_t row_vectors) {
  if constexpr (bias == Bias::full) return load(from, vector);
  Vector<Element> value;
  value.bits = __ldg(reinterpret_cast<const uint4*>(from) + vector % row_vectors);
  return value;
}

template <class Element>
__device__ void store(Element* to, std::uint32_t vector, const Vector<Element>& value) {
  __stcs(reinterpret_cast<uint4*>(to) + vector, value.bits);
}

// y = after(x + b)
template <class Element, Bias bias, class After>
__global__ void __launch_bounds__(kThreads)
    biased_kernel(const Element* __restrict__ x, const Element* __restrict__ b, Element* __restrict__ y,
                  std::uint32_t vectors, std::uint32_t row_vectors) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= vectors) return;
  Vector<Element> value = load(x, i);
  const Vector<Element> add = load_bias<Element, bias>(b, i, row_vectors);
#pragma unroll
  for (unsigned lane = 0; lane < kLanes<Element>; ++lane) {
    value.lanes[lane] =
        Element(After::of(static_cast<float>(value.lanes[lane]) + static_cast<float>(add.lanes[lane])));
  }
  store(y, i, value);
}

// y = gelu(t)
template <class Element, Gelu gelu>
__global__ void __launch_bounds__(kThreads)
    gelu_kernel(const Element* __restrict__ t, Element* __restrict__ y, std::uint32_t vectors) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= vectors) return;
  Vector<Element> value = load(t, i);
#pragma unroll
  for (unsigned lane = 0; lane < kLanes<Element>; ++lane) {
    value.lanes[lane] = Element(GeluAfter<Element, gelu>::of(static_cast<float>(value.lanes[lane])));
  }
  store(y, i, value);
}

// The same in double precision, for checks. `relative` is half a unit in the last place of Element, as a
// share of the number.
template <class Element>
ASSAY_HOST_DEVICE constexpr double relative_rounding() {
  return std::is_same_v<Element, float> ? 0x1p-24 : std::is_same_v<Element, __half> ? 0x1p-11 : 0x1p-8;
}
// The smallest numbers of fp16 are coarse.
template <class Element>
ASSAY_HOST_DEVICE constexpr double absolute_rounding() {
  return std::is_same_v<Element, __half> ? 0x1p-25 : 0x1p-126;
}

__device__ inline double exact_gelu(double x, Gelu gelu) {
  if (gelu == Gelu::erf) return 0.5 * x * erfc(-x * 0.7071067811865476);
  const double u = 0.7978845608028654 * (x + 0.044715 * x * x * x);
  return x / (1 + exp(-2 * u));
}

// Where the inputs of a check come from: drawn again from the seed.
struct Inputs {
  Data data;
  Random x, b, w;  // b: the bias; x and w: the product's factors, x alone without one
  std::uint64_t rows, columns, k;
  Bias bias;
  Gelu gelu;
  bool rounds_sum;               // x + b is stored before GELU
  bool rounds_product;           // the product is stored before the bias
  std::uint64_t first_bias = 0;  // of this buffer set, where each has a full one of its own
};

// Element `index` of y, given what stands before the bias and how far that may be off. Limits: one rounding
// to Element for each array that is stored (half a unit in the last place), through GELU, whose slope is
// below 1.13; twice for the last; and what GELU itself may be off.
template <class Element>
__device__ double share_of_limit(const Inputs& in, double before, double before_error, std::uint64_t index,
                                 double actual, bool with_epilogue) {
  constexpr double kRelative = relative_rounding<Element>(), kSlope = 1.13;
  const std::uint64_t at = in.bias == Bias::full ? in.first_bias + index : index % in.columns;
  const double bias = static_cast<double>(static_cast<float>(cuda::element_as<Element>(in.data, in.b, at)));
  double error = before_error;
  if (in.rounds_product) error += kRelative * fabs(before);
  const double sum = before + bias;
  if (in.rounds_sum) error += kRelative * fabs(sum);
  const double expected = exact_gelu(sum, in.gelu);
  // The kernels' own approximations; an epilogue computes tanh by the unit's instruction.
  const double function = with_epilogue ? 0x1p-10 : 0x1p-21;
  const double limit = 2 * kRelative * fabs(expected) + kSlope * error + function * fabs(sum) +
                       2 * absolute_rounding<Element>();
  return fabs(actual - expected) / limit;
}

// Every element of y, without a product before.
template <class Element>
__global__ void check_kernel(Inputs in, const Element* y, std::uint64_t set_offset, Findings* found) {
  const std::uint64_t count = in.rows * in.columns;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const double x =
        static_cast<double>(static_cast<float>(cuda::element_as<Element>(in.data, in.x, set_offset + i)));
    const double share =
        share_of_limit<Element>(in, x, 0, i, static_cast<double>(static_cast<float>(y[i])), false);
    report(found, share, i);
  }
}

// Every element of `count` rows of y after a product of x (rows × k) and w (k × columns).
template <class Element>
__global__ void check_rows_kernel(Inputs in, const Element* y, std::uint64_t first_row,
                                  std::uint64_t row_step, unsigned count, std::uint64_t x_offset,
                                  std::uint64_t w_offset, double sum_error, bool with_epilogue,
                                  Findings* found) {
  constexpr double kFactor = 8;
  const std::uint64_t all = count * in.columns;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += step) {
    const std::uint64_t row = first_row + i / in.columns * row_step, column = i % in.columns;
    double sum = 0, norm_x = 0, norm_w = 0;
    for (std::uint64_t l = 0; l < in.k; ++l) {
      const double x = static_cast<double>(
          static_cast<float>(cuda::element_as<Element>(in.data, in.x, x_offset + row * in.k + l)));
      const double w = static_cast<double>(
          static_cast<float>(cuda::element_as<Element>(in.data, in.w, w_offset + l * in.columns + column)));
      sum += x * w;
      norm_x += x * x;
      norm_w += w * w;
    }
    const std::uint64_t index = row * in.columns + column;
    const double share =
        share_of_limit<Element>(in, sum, kFactor * sum_error * sqrt(norm_x * norm_w), index,
                                static_cast<double>(static_cast<float>(y[index])), with_epilogue);
    report(found, share, index);
  }
}

}  // namespace assay::plugins::fusion
