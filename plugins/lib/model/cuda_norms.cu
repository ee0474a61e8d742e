// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_columns.cuh"
#include "lib/model/cuda_lanes.cuh"
#include "lib/model/cuda_norms.hpp"
#include "lib/model/cuda_plan.hpp"

#include <assay/cuda/error.hpp>
#include <assay/errors.hpp>

#include <string>

namespace assay::plugins::model::device {
namespace {

constexpr float kEpsilon = 1e-5F;
constexpr std::size_t kSharedWithoutAsking = std::size_t{48} << 10;

// A block takes a row. What it has read once lies in its cache.
template <bool layer, int N, class C, class R, class P>
__global__ void norm_kernel(std::size_t width, const R* __restrict__ x, const P* __restrict__ gain,
                            const P* __restrict__ shift, C* __restrict__ compute, R* __restrict__ stream,
                            float* __restrict__ statistics) {
  __shared__ float shared[32];
  const std::size_t row = blockIdx.x, begin = row * width;
  const float share = 1.0F / static_cast<float>(width);
  const auto sum_of = [&](const auto& term) {
    float sum = 0;
    for (std::size_t i = threadIdx.x * N; i < width; i += std::size_t{blockDim.x} * N) {
      float values[N];
      load(x + begin + i, values);
#pragma unroll
      for (int lane = 0; lane < N; ++lane) sum += term(values[lane]);
    }
    return over_block<Sum>(sum, shared);
  };
  float mean = 0;
  if constexpr (layer) mean = share * sum_of([](float value) { return value; });
  const float squares = share * sum_of([mean](float value) { return (value - mean) * (value - mean); });
  const float inverse = 1.0F / sqrtf(squares + kEpsilon);
  if (threadIdx.x == 0) {
    if constexpr (layer) {
      statistics[2 * row] = mean;
      statistics[2 * row + 1] = inverse;
    } else {
      statistics[row] = inverse;
    }
  }
  for (std::size_t i = threadIdx.x * N; i < width; i += std::size_t{blockDim.x} * N) {
    float values[N], gains[N], shifts[N] = {};
    load(x + begin + i, values);
    load(gain + i, gains);
    if constexpr (layer) load(shift + i, shifts);
#pragma unroll
    for (int lane = 0; lane < N; ++lane)
      values[lane] = (values[lane] - mean) * inverse * gains[lane] + shifts[lane];
    if (compute) store(compute + begin + i, values);
    if (stream) store(stream + begin + i, values);
  }
}

// A block takes every gridDim.x-th row, and keeps the sums of columns, each thread those of its own.
template <bool layer, int N, class C, class R, class P, class Y>
__global__ void norm_backward_kernel(std::size_t rows, std::size_t width, const R* __restrict__ x,
                                     const P* __restrict__ gain, const float* __restrict__ statistics,
                                     const Y* __restrict__ dy, bool keep, R* __restrict__ dx,
                                     C* __restrict__ copy, bool with_bias, float* __restrict__ partial) {
  extern __shared__ float sums[];
  __shared__ float shared[64];
  const std::size_t sections = (layer ? 2 : 1) + (with_bias ? 1 : 0);
  float* const of_bias = sums + (sections - 1) * width;
  const float share = 1.0F / static_cast<float>(width);
  const std::size_t step = std::size_t{blockDim.x} * N;
  for (std::size_t i = threadIdx.x * N; i < width; i += step) {
    for (std::size_t section = 0; section < sections; ++section) {
#pragma unroll
      for (int lane = 0; lane < N; ++lane) sums[section * width + i + lane] = 0;
    }
  }
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const std::size_t begin = row * width;
    const float mean = layer ? statistics[2 * row] : 0.0F;
    const float inverse = layer ? statistics[2 * row + 1] : statistics[row];
    float sum = 0, along = 0;
    for (std::size_t i = threadIdx.x * N; i < width; i += step) {
      float values[N], by[N], gains[N];
      load(x + begin + i, values);
      load(dy + begin + i, by);
      load(gain + i, gains);
#pragma unroll
      for (int lane = 0; lane < N; ++lane) {
        const float normal = (values[lane] - mean) * inverse;
        sum += by[lane] * gains[lane];
        along += by[lane] * gains[lane] * normal;
        sums[i + lane] += by[lane] * normal;
        if constexpr (layer) sums[width + i + lane] += by[lane];
      }
    }
    sum_over_block(sum, along, shared);
    sum *= share;
    along *= share;
    for (std::size_t i = threadIdx.x * N; i < width; i += step) {
      float values[N], by[N], gains[N], before[N] = {};
      load(x + begin + i, values);
      load(dy + begin + i, by);
      load(gain + i, gains);
      if (keep) load(dx + begin + i, before);
#pragma unroll
      for (int lane = 0; lane < N; ++lane) {
        const float normal = (values[lane] - mean) * inverse;
        values[lane] =
            before[lane] + inverse * (by[lane] * gains[lane] - (layer ? sum : 0.0F) - normal * along);
        if (with_bias) of_bias[i + lane] += values[lane];
      }
      store(dx + begin + i, values);
      if (copy) store(copy + begin + i, values);
    }
  }
  for (std::size_t i = threadIdx.x * N; i < width; i += step) {
    for (std::size_t section = 0; section < sections; ++section) {
#pragma unroll
      for (int lane = 0; lane < N; ++lane)
        partial[(blockIdx.x * sections + section) * width + i + lane] = sums[section * width + i + lane];
    }
  }
}

template <bool layer, int N, class C, class R, class P, class Y>
void queue_backward(cudaStream_t queue, const NormShape& shape, const R* x, const P* gain,
                    const float* statistics, const Y* dy, bool keep_dx, R* dx, C* copy,
                    const NormGradients<P>& gradients) {
  const std::size_t sections = (layer ? 2 : 1) + (gradients.bias ? 1 : 0), blocks = norm_blocks(shape.rows);
  const std::size_t shared = sections * shape.width * sizeof(float);
  const auto kernel = norm_backward_kernel<layer, N, C, R, P, Y>;
  if (shared > kSharedWithoutAsking) {
    ASSAY_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  }
  kernel<<<static_cast<unsigned>(blocks), threads_for(shape.width / N, 256), shared, queue>>>(
      shape.rows, shape.width, x, gain, statistics, dy, keep_dx, dx, copy, gradients.bias != nullptr,
      gradients.partial);
  ASSAY_CUDA_CHECK_LAUNCH("the backward pass of a norm");
  ColumnTargets<P> targets;
  targets.to[0] = gradients.gain;
  targets.to[1] = layer ? gradients.shift : gradients.bias;
  targets.to[2] = gradients.bias;
  targets.keep = gradients.keep;
  add_pieces(queue, gradients.partial, blocks, shape.width, sections, targets);
}

}  // namespace

template <class C, class R, class P>
void norm(cudaStream_t queue, const NormShape& shape, const R* x, const P* gain, const P* shift, C* compute,
          R* stream, float* statistics) {
  constexpr int kLanes = kLanesOf<C>;
  const auto launch = [&](auto layer, auto lanes) {
    constexpr int N = decltype(lanes)::value;
    norm_kernel<decltype(layer)::value, N, C, R, P>
        <<<static_cast<unsigned>(shape.rows), threads_for(shape.width / N, 256), 0, queue>>>(
            shape.width, x, gain, shift, compute, stream, statistics);
  };
  using One = std::integral_constant<int, 1>;
  using Many = std::integral_constant<int, kLanes>;
  const bool whole = shape.width % kLanes == 0;
  if (shape.layer) {
    whole ? launch(std::true_type(), Many()) : launch(std::true_type(), One());
  } else {
    whole ? launch(std::false_type(), Many()) : launch(std::false_type(), One());
  }
  ASSAY_CUDA_CHECK_LAUNCH("a norm");
}

template <class C, class R, class P, class Y>
void norm_backward(cudaStream_t queue, const NormShape& shape, const R* x, const P* gain,
                   const float* statistics, const Y* dy, bool keep_dx, R* dx, C* copy,
                   const NormGradients<P>& gradients) {
  if (shape.width > kWidestNorm) {
    throw Skip("rows of a norm have up to " + std::to_string(kWidestNorm) + " numbers on a GPU, and here " +
               std::to_string(shape.width));
  }
  constexpr int kLanes = kLanesOf<C>;
  const bool whole = shape.width % kLanes == 0;
  const auto with = [&](auto layer, auto lanes) {
    queue_backward<decltype(layer)::value, decltype(lanes)::value, C, R, P, Y>(
        queue, shape, x, gain, statistics, dy, keep_dx, dx, copy, gradients);
  };
  using One = std::integral_constant<int, 1>;
  using Many = std::integral_constant<int, kLanes>;
  if (shape.layer) {
    whole ? with(std::true_type(), Many()) : with(std::true_type(), One());
  } else {
    whole ? with(std::false_type(), Many()) : with(std::false_type(), One());
  }
}

#define ASSAY_NORM(C, R, P)                                                                                  \
  template void norm<C, R, P>(cudaStream_t, const NormShape&, const R*, const P*, const P*, C*, R*, float*); \
  template void norm_backward<C, R, P, C>(cudaStream_t, const NormShape&, const R*, const P*, const float*,  \
                                          const C*, bool, R*, C*, const NormGradients<P>&);
ASSAY_NORM(float, float, float)
ASSAY_NORM(Bf16, float, float)
ASSAY_NORM(Bf16, Bf16, Bf16)
#undef ASSAY_NORM
template void norm_backward<Bf16, float, float, float>(cudaStream_t, const NormShape&, const float*,
                                                       const float*, const float*, const float*, bool, float*,
                                                       Bf16*, const NormGradients<float>&);

}  // namespace assay::plugins::model::device
