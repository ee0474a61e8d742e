// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_lanes.cuh"
#include "lib/model/cuda_optimizer.hpp"

#include <assay/cuda/error.hpp>

#include <cmath>

namespace assay::plugins::model {
namespace {

constexpr unsigned kThreads = 256;

__global__ void begin_step_kernel(AdamW adamw, StepCount* count) {
  const std::uint64_t step = ++count->step;
  const auto t = static_cast<double>(step);
  count->rate =
      static_cast<float>(static_cast<double>(adamw.rate) / (1 - pow(static_cast<double>(adamw.beta1), t)));
  count->second = static_cast<float>(1 / sqrt(1 - pow(static_cast<double>(adamw.beta2), t)));
}

// P is the type of all numbers, C of the copy.
template <class P, class C>
struct Arrays {
  P *parameters, *gradients, *first, *second;
  C* copy;
};

template <class P, class C>
__global__ void __launch_bounds__(kThreads)
    adamw_kernel(std::size_t size, AdamW adamw, const StepCount* count, Arrays<P, C> arrays) {
  constexpr int N = kLanesOf<P>;
  const std::size_t i = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * N;
  if (i >= size) return;
  const float rate = count->rate, correction = count->second, kept = 1 - adamw.rate * adamw.decay;
  float w[N], g[N], first[N], second[N];
  load(arrays.parameters + i, w);
  load(arrays.gradients + i, g);
  load(arrays.first + i, first);
  load(arrays.second + i, second);
#pragma unroll
  for (int lane = 0; lane < N; ++lane) {
    first[lane] = adamw.beta1 * first[lane] + (1 - adamw.beta1) * g[lane];
    second[lane] = adamw.beta2 * second[lane] + (1 - adamw.beta2) * g[lane] * g[lane];
    const float root = sqrtf(second[lane]) * correction + adamw.epsilon;
    w[lane] = w[lane] * kept - rate * first[lane] / root;
  }
  store(arrays.parameters + i, w);
  store(arrays.first + i, first);
  store(arrays.second + i, second);
  if (arrays.copy) store(arrays.copy + i, w);
}

template <class P, class C>
__global__ void __launch_bounds__(kThreads) sgd_kernel(std::size_t size, Sgd sgd, Arrays<P, C> arrays) {
  constexpr int N = kLanesOf<P>;
  const std::size_t i = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * N;
  if (i >= size) return;
  float w[N], g[N];
  load(arrays.parameters + i, w);
  load(arrays.gradients + i, g);
#pragma unroll
  for (int lane = 0; lane < N; ++lane) w[lane] -= sgd.rate * g[lane];
  store(arrays.parameters + i, w);
  if (arrays.copy) store(arrays.copy + i, w);
}

template <class P, class C>
__global__ void __launch_bounds__(kThreads) copy_kernel(std::size_t size, Arrays<P, C> arrays) {
  constexpr int N = kLanesOf<P>;
  const std::size_t i = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * N;
  if (i >= size) return;
  float w[N];
  load(arrays.parameters + i, w);
  store(arrays.copy + i, w);
}

template <class P, class C>
__global__ void __launch_bounds__(kThreads) widen_kernel(std::size_t size, Arrays<P, C> arrays) {
  constexpr int N = kLanesOf<P>;
  const std::size_t i = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * N;
  if (i >= size) return;
  float w[N];
  load(arrays.copy + i, w);
  store(arrays.parameters + i, w);
}

template <class P, class C>
__global__ void __launch_bounds__(kThreads) add_kernel(std::size_t size, Arrays<P, C> arrays) {
  constexpr int N = kLanesOf<P>;
  const std::size_t i = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * N;
  if (i >= size) return;
  float sum[N], more[N];
  load(arrays.parameters + i, sum);
  load(arrays.gradients + i, more);
#pragma unroll
  for (int lane = 0; lane < N; ++lane) sum[lane] += more[lane];
  store(arrays.parameters + i, sum);
}

template <class P, class C>
Arrays<P, C> arrays_of(const OptimizerMemory& memory) {
  return {static_cast<P*>(memory.parameters), static_cast<P*>(memory.gradients),
          static_cast<P*>(memory.first_moments), static_cast<P*>(memory.second_moments),
          static_cast<C*>(memory.copy)};
}

// Calls `queue` with the arrays in their types, the blocks that they take.
template <class Queue>
void with_types(Arithmetic arithmetic, std::size_t size, const OptimizerMemory& memory, const Queue& queue) {
  const auto blocks = [size](int lanes) {
    const std::size_t threads = size / static_cast<std::size_t>(lanes);
    return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  };
  if (arithmetic == Arithmetic::pure_bf16) {
    queue(arrays_of<Bf16, Bf16>(memory), blocks(kLanesOf<Bf16>));
  } else {
    queue(arrays_of<float, Bf16>(memory), blocks(kLanesOf<float>));
  }
}

}  // namespace

void begin_step(cudaStream_t stream, const AdamW& adamw, StepCount* count) {
  begin_step_kernel<<<1, 1, 0, stream>>>(adamw, count);
  ASSAY_CUDA_CHECK_LAUNCH("the beginning of a step");
}

void update(cudaStream_t stream, Arithmetic arithmetic, const AdamW& adamw, std::size_t size,
            const OptimizerMemory& memory) {
  with_types(arithmetic, size, memory, [&](const auto& arrays, unsigned blocks) {
    adamw_kernel<<<blocks, kThreads, 0, stream>>>(size, adamw, memory.count, arrays);
  });
  ASSAY_CUDA_CHECK_LAUNCH("AdamW");
}

void update(cudaStream_t stream, Arithmetic arithmetic, const Sgd& sgd, std::size_t size,
            const OptimizerMemory& memory) {
  with_types(arithmetic, size, memory, [&](const auto& arrays, unsigned blocks) {
    sgd_kernel<<<blocks, kThreads, 0, stream>>>(size, sgd, arrays);
  });
  ASSAY_CUDA_CHECK_LAUNCH("SGD");
}

void add_numbers(cudaStream_t stream, Arithmetic arithmetic, std::size_t size, const void* from, void* to) {
  OptimizerMemory memory;
  memory.parameters = to;
  memory.gradients = const_cast<void*>(from);
  with_types(arithmetic, size, memory, [&](const auto& arrays, unsigned blocks) {
    add_kernel<<<blocks, kThreads, 0, stream>>>(size, arrays);
  });
  ASSAY_CUDA_CHECK_LAUNCH("the addition of gradients");
}

void copy_parameters(cudaStream_t stream, Arithmetic arithmetic, std::size_t size,
                     const OptimizerMemory& memory) {
  if (memory.copy == nullptr) return;
  with_types(arithmetic, size, memory, [&](const auto& arrays, unsigned blocks) {
    copy_kernel<<<blocks, kThreads, 0, stream>>>(size, arrays);
  });
  ASSAY_CUDA_CHECK_LAUNCH("the copy of parameters");
}

void widen_copy(cudaStream_t stream, Arithmetic arithmetic, std::size_t size, const OptimizerMemory& memory) {
  if (memory.copy == nullptr) return;
  with_types(arithmetic, size, memory, [&](const auto& arrays, unsigned blocks) {
    widen_kernel<<<blocks, kThreads, 0, stream>>>(size, arrays);
  });
  ASSAY_CUDA_CHECK_LAUNCH("parameters from their copy");
}

}  // namespace assay::plugins::model
