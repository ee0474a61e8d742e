// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_columns.cuh"
#include "lib/model/cuda_lanes.cuh"
#include "lib/model/cuda_plan.hpp"
#include "lib/model/cuda_pointwise.hpp"

#include <assay/cuda/error.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace assay::plugins::model::device {
namespace {

constexpr unsigned kThreads = 256;

unsigned blocks_for(std::size_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

// The exponential and the division of the units: a few 2^-23 off.
struct Normal {
  float below, density;  // Φ(x), φ(x)
};
__device__ Normal normal_of(float x) {
  const float power = __expf(-0.5F * x * x);
  const float t = __fdividef(1.0F, 1.0F + 0.3275911F * 0.707106781F * fabsf(x));
  const float series =
      t * (0.254829592F + t * (-0.284496736F + t * (1.421413741F + t * (-1.453152027F + t * 1.061405429F))));
  const float tail = 0.5F * series * power;
  return {x < 0 ? tail : 1.0F - tail, 0.398942280F * power};
}
__device__ float sigmoid_of(float x) { return 1.0F / (1.0F + __expf(-x)); }

// Calls `step` with the first of each N elements.
template <int N, class Step>
__global__ void __launch_bounds__(kThreads) each_kernel(Step step, std::size_t elements) {
  const std::size_t i = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * N;
  if (i < elements) step(i);
}

template <int N, class Step>
void each(cudaStream_t queue, std::size_t elements, const Step& step) {
  if (elements == 0) return;
  each_kernel<N, Step><<<blocks_for(elements / N), kThreads, 0, queue>>>(step, elements);
  ASSAY_CUDA_CHECK_LAUNCH("each");
}

template <class C, int N>
struct GeluStep {
  const C* x;
  C* y;
  __device__ void operator()(std::size_t i) const {
    float values[N];
    load(x + i, values);
#pragma unroll
    for (int lane = 0; lane < N; ++lane) values[lane] *= normal_of(values[lane]).below;
    store(y + i, values);
  }
};

template <class C, int N>
struct GeluBackwardStep {
  const C* x;
  C* dy;
  std::size_t width;
  __device__ void operator()(std::size_t row, std::size_t column, float (&values)[N]) const {
    const std::size_t i = row * width + column;
    float inputs[N];
    load(x + i, inputs);
    load(dy + i, values);
#pragma unroll
    for (int lane = 0; lane < N; ++lane) {
      const Normal normal = normal_of(inputs[lane]);
      values[lane] *= normal.below + inputs[lane] * normal.density;
    }
    store(dy + i, values);
  }
};

template <class C, int N>
struct ReadStep {
  const C* dy;
  std::size_t width;
  __device__ void operator()(std::size_t row, std::size_t column, float (&values)[N]) const {
    load(dy + row * width + column, values);
  }
};

template <class C, int N>
struct SwigluStep {
  const C* x;
  C* y;
  std::size_t width;
  __device__ void operator()(std::size_t i) const {
    const std::size_t gate_at = i + i / width * width;  // rows of x are twice as long
    float gate[N], factor[N];
    load(x + gate_at, gate);
    load(x + gate_at + width, factor);
#pragma unroll
    for (int lane = 0; lane < N; ++lane) gate[lane] *= sigmoid_of(gate[lane]) * factor[lane];
    store(y + i, gate);
  }
};

template <class C, int N>
struct SwigluBackwardStep {
  const C *x, *dy;
  C* dx;
  std::size_t width;
  __device__ void operator()(std::size_t i) const {
    const std::size_t gate_at = i + i / width * width;
    float gate[N], factor[N], by[N];
    load(x + gate_at, gate);
    load(x + gate_at + width, factor);
    load(dy + i, by);
#pragma unroll
    for (int lane = 0; lane < N; ++lane) {
      const float sigmoid = sigmoid_of(gate[lane]), of_gate = gate[lane];
      gate[lane] = by[lane] * factor[lane] * sigmoid * (1.0F + of_gate * (1.0F - sigmoid));
      factor[lane] = by[lane] * of_gate * sigmoid;
    }
    store(dx + gate_at, gate);
    store(dx + gate_at + width, factor);
  }
};

template <class C, class R>
struct RoundStep {
  const R* from;
  C* to;
  __device__ void operator()(std::size_t i) const { to[i] = rounded_to<C>(number_of(from[i])); }
};

template <class C>
struct TanhStep {
  C* x;
  __device__ void operator()(std::size_t i) const { x[i] = rounded_to<C>(tanhf(number_of(x[i]))); }
};

template <class C>
struct TanhBackwardStep {
  const C* y;
  C* dy;
  __device__ void operator()(std::size_t i) const {
    const float of = number_of(y[i]);
    dy[i] = rounded_to<C>(number_of(dy[i]) * (1.0F - of * of));
  }
};

template <class C>
struct FirstRowsStep {
  const C* x;
  C* y;
  std::size_t sequence, width;
  __device__ void operator()(std::size_t i) const { y[i] = x[i / width * sequence * width + i % width]; }
};

template <int N, class C>
__global__ void cross_entropy_kernel(std::size_t width, const std::int32_t* labels, float scale,
                                     const C* scores, C* gradients, float* row_losses) {
  __shared__ float shared[32];
  const std::size_t row = blockIdx.x, begin = row * width, step = std::size_t{blockDim.x} * N;
  const auto label = static_cast<std::size_t>(labels[row]);
  const float of_label = number_of(scores[begin + label]);
  float largest = -INFINITY, sum = 0;
  for (std::size_t i = threadIdx.x * N; i < width; i += step) {
    float values[N];
    load(scores + begin + i, values);
    float here = values[0];
#pragma unroll
    for (int lane = 1; lane < N; ++lane) here = fmaxf(here, values[lane]);
    if (here > largest) {
      sum *= __expf(largest - here);
      largest = here;
    }
#pragma unroll
    for (int lane = 0; lane < N; ++lane) sum += __expf(values[lane] - largest);
  }
  const float of_all = over_block<Largest>(largest, shared);
  sum = over_block<Sum>(sum * __expf(largest - of_all), shared);
  if (threadIdx.x == 0) row_losses[row] = logf(sum) + (of_all - of_label);
  const float factor = scale / sum;
  for (std::size_t i = threadIdx.x * N; i < width; i += step) {
    float values[N];
    load(scores + begin + i, values);
#pragma unroll
    for (int lane = 0; lane < N; ++lane) {
      values[lane] = factor * __expf(values[lane] - of_all);
      if (i + lane == label) values[lane] -= scale;
    }
    store(gradients + begin + i, values);
  }
}

__global__ void mean_loss_kernel(std::size_t rows, const float* row_losses, double factor, bool add,
                                 double* loss) {
  __shared__ double sums[kThreads];
  double sum = 0;
  for (std::size_t i = threadIdx.x; i < rows; i += kThreads) sum += static_cast<double>(row_losses[i]);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *loss = (add ? *loss : 0.0) + factor * sums[0];
}

}  // namespace

template <class C>
void gelu(cudaStream_t queue, std::size_t elements, const C* x, C* y) {
  with_lanes<C>(elements, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    each<N>(queue, elements, GeluStep<C, N>{x, y});
  });
}

template <class C, class P>
void gelu_backward(cudaStream_t queue, std::size_t rows, std::size_t width, const C* x, C* dy,
                   const BiasGradient<P>& bias) {
  with_lanes<C>(width, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    sum_columns<N>(queue, GeluBackwardStep<C, N>{x, dy, width}, rows, width, column_pieces(rows),
                   bias.partial, bias.to, bias.keep);
  });
}

template <class C, class P>
void bias_gradient(cudaStream_t queue, std::size_t rows, std::size_t width, const C* dy,
                   const BiasGradient<P>& bias) {
  with_lanes<C>(width, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    sum_columns<N>(queue, ReadStep<C, N>{dy, width}, rows, width, column_pieces(rows), bias.partial, bias.to,
                   bias.keep);
  });
}

template <class C>
void swiglu(cudaStream_t queue, std::size_t rows, std::size_t width, const C* x, C* y) {
  with_lanes<C>(width, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    each<N>(queue, rows * width, SwigluStep<C, N>{x, y, width});
  });
}

template <class C>
void swiglu_backward(cudaStream_t queue, std::size_t rows, std::size_t width, const C* x, const C* dy,
                     C* dx) {
  with_lanes<C>(width, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    each<N>(queue, rows * width, SwigluBackwardStep<C, N>{x, dy, dx, width});
  });
}

template <class C, class R>
void round_to(cudaStream_t queue, std::size_t elements, const R* from, C* to) {
  if constexpr (!std::is_same_v<C, R>) each<1>(queue, elements, RoundStep<C, R>{from, to});
}

template <class C>
void tanh_in_place(cudaStream_t queue, std::size_t elements, C* x) {
  each<1>(queue, elements, TanhStep<C>{x});
}

template <class C>
void tanh_backward(cudaStream_t queue, std::size_t elements, const C* y, C* dy) {
  each<1>(queue, elements, TanhBackwardStep<C>{y, dy});
}

template <class C>
void first_rows(cudaStream_t queue, std::size_t samples, std::size_t sequence, std::size_t width, const C* x,
                C* y) {
  each<1>(queue, samples * width, FirstRowsStep<C>{x, y, sequence, width});
}

template <class C>
void first_rows_backward(cudaStream_t queue, std::size_t samples, std::size_t sequence, std::size_t width,
                         const C* dy, C* dx) {
  ASSAY_CUDA_CHECK(cudaMemsetAsync(dx, 0, samples * sequence * width * sizeof(C), queue));
  ASSAY_CUDA_CHECK(cudaMemcpy2DAsync(dx, sequence * width * sizeof(C), dy, width * sizeof(C),
                                     width * sizeof(C), samples, cudaMemcpyDeviceToDevice, queue));
}

template <class C>
void cross_entropy(cudaStream_t queue, std::size_t rows, std::size_t width, const std::int32_t* labels,
                   float scale, const C* scores, C* gradients, float* row_losses) {
  with_lanes<C>(width, [&](auto lanes) {
    constexpr int N = decltype(lanes)::value;
    cross_entropy_kernel<N, C><<<static_cast<unsigned>(rows), threads_for(width / N), 0, queue>>>(
        width, labels, scale, scores, gradients, row_losses);
  });
  ASSAY_CUDA_CHECK_LAUNCH("cross entropy");
}

void mean_loss(cudaStream_t queue, std::size_t rows, const float* row_losses, double share, bool add,
               double* loss) {
  mean_loss_kernel<<<1, kThreads, 0, queue>>>(rows, row_losses, share / static_cast<double>(rows), add, loss);
  ASSAY_CUDA_CHECK_LAUNCH("the mean loss");
}

#define ASSAY_POINTWISE(C, P)                                                                              \
  template void gelu<C>(cudaStream_t, std::size_t, const C*, C*);                                          \
  template void swiglu<C>(cudaStream_t, std::size_t, std::size_t, const C*, C*);                           \
  template void swiglu_backward<C>(cudaStream_t, std::size_t, std::size_t, const C*, const C*, C*);        \
  template void tanh_in_place<C>(cudaStream_t, std::size_t, C*);                                           \
  template void tanh_backward<C>(cudaStream_t, std::size_t, const C*, C*);                                 \
  template void first_rows<C>(cudaStream_t, std::size_t, std::size_t, std::size_t, const C*, C*);          \
  template void first_rows_backward<C>(cudaStream_t, std::size_t, std::size_t, std::size_t, const C*, C*); \
  template void cross_entropy<C>(cudaStream_t, std::size_t, std::size_t, const std::int32_t*, float,       \
                                 const C*, C*, float*)
#define ASSAY_BIASES(C, P)                                                                \
  template void gelu_backward<C, P>(cudaStream_t, std::size_t, std::size_t, const C*, C*, \
                                    const BiasGradient<P>&);                              \
  template void bias_gradient<C, P>(cudaStream_t, std::size_t, std::size_t, const C*, const BiasGradient<P>&)
template void round_to<Bf16, float>(cudaStream_t, std::size_t, const float*, Bf16*);
template void round_to<Bf16, Bf16>(cudaStream_t, std::size_t, const Bf16*, Bf16*);
template void round_to<float, float>(cudaStream_t, std::size_t, const float*, float*);
ASSAY_POINTWISE(float, float);
ASSAY_POINTWISE(Bf16, Bf16);
ASSAY_BIASES(float, float);
ASSAY_BIASES(Bf16, float);
ASSAY_BIASES(Bf16, Bf16);
#undef ASSAY_POINTWISE
#undef ASSAY_BIASES

}  // namespace assay::plugins::model::device
