// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_arena.hpp"
#include "lib/model/cuda_reference.hpp"
#include "lib/two_sum.hpp"

#include <assay/cuda/error.hpp>

#include <algorithm>
#include <cmath>

namespace assay::plugins::model {
namespace {

constexpr unsigned kThreads = 256;
constexpr double kEpsilon = 1e-5;

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// Calls step(i) for every i below count.
template <class Step>
__global__ void each_kernel(Step step, std::size_t count) {
  const std::size_t all = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += all) step(i);
}
template <class Step>
void each(cudaStream_t stream, std::size_t count, const Step& step) {
  const std::size_t blocks = std::min<std::size_t>((count + kThreads - 1) / kThreads, 1 << 16);
  each_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(step, count);
  ASSAY_CUDA_CHECK_LAUNCH("the reference");
}

struct Embedding {
  const double *words, *positions, *types;
  const std::int32_t* tokens;
  std::size_t sequence, width, number_of_types;
  double* y;
  __device__ void operator()(std::size_t i) const {
    const std::size_t row = i / width, place = row % sequence, column = i % width;
    double sum = words[static_cast<std::size_t>(tokens[row]) * width + column];
    if (positions) sum += positions[place * width + column];
    if (types) sum += types[place * number_of_types / sequence * width + column];
    y[i] = sum;
  }
};
struct Bias {
  const double* bias;
  std::size_t width;
  double* y;
  __device__ void operator()(std::size_t i) const { y[i] += bias[i % width]; }
};
struct Features {
  const float* x;
  double* y;
  __device__ void operator()(std::size_t i) const { y[i] = static_cast<double>(x[i]); }
};
struct Gelu {
  const double* x;
  double* y;
  __device__ void operator()(std::size_t i) const {
    y[i] = 0.5 * x[i] * erfc(-x[i] * 0.70710678118654752440);
  }
};
struct Tanh {
  const double* x;
  double* y;
  __device__ void operator()(std::size_t i) const { y[i] = tanh(x[i]); }
};
struct Swiglu {
  const double* x;
  double* y;
  std::size_t width;
  __device__ void operator()(std::size_t i) const {
    const double* const row = x + i / width * 2 * width;
    const double gate = row[i % width];
    y[i] = gate / (1 + exp(-gate)) * row[width + i % width];
  }
};
struct Added {
  const double *a, *b;
  double* y;
  __device__ void operator()(std::size_t i) const { y[i] = a[i] + b[i]; }
};
struct FirstToken {
  const double* x;
  double* y;
  std::size_t sequence, width;
  __device__ void operator()(std::size_t i) const { y[i] = x[i / width * sequence * width + i % width]; }
};
// A pair of a query or a key, in place.
struct Rotation {
  double* x;
  std::size_t sequence, row, vectors, d;
  double base;
  __device__ void operator()(std::size_t i) const {
    const std::size_t half = d / 2, pair = i % half, vector = i / half % vectors, token = i / half / vectors;
    const double angle = static_cast<double>(token % sequence) /
                         pow(base, 2 * static_cast<double>(pair) / static_cast<double>(d));
    double* const of = x + token * row + vector * d + pair;
    const double a = of[0], b = of[half];
    of[0] = a * cos(angle) - b * sin(angle);
    of[half] = b * cos(angle) + a * sin(angle);
  }
};

// The sum over the block, in all threads.
__device__ double sum_of(double value) {
  __shared__ double parts[kThreads];
  __syncthreads();
  parts[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  return parts[0];
}

// A block has a row.
__global__ void norm_kernel(std::size_t width, const double* x, const double* gain, const double* shift,
                            double* y) {
  const double* const of = x + blockIdx.x * width;
  double mean = 0, squares = 0;
  if (shift) {
    for (std::size_t i = threadIdx.x; i < width; i += kThreads) mean += of[i];
    mean = sum_of(mean) / static_cast<double>(width);
  }
  for (std::size_t i = threadIdx.x; i < width; i += kThreads) squares += (of[i] - mean) * (of[i] - mean);
  squares = sum_of(squares) / static_cast<double>(width);
  for (std::size_t i = threadIdx.x; i < width; i += kThreads)
    y[blockIdx.x * width + i] =
        (of[i] - mean) / sqrt(squares + kEpsilon) * gain[i] + (shift ? shift[i] : 0.0);
}

__global__ void softmax_kernel(std::size_t sequence, bool causal, double* scores) {
  double* const of = scores + blockIdx.x * sequence;
  const std::size_t seen = causal ? blockIdx.x % sequence + 1 : sequence;
  double sum = 0;
  for (std::size_t i = threadIdx.x; i < seen; i += kThreads) sum += exp(of[i]);
  sum = sum_of(sum);
  for (std::size_t i = threadIdx.x; i < sequence; i += kThreads) of[i] = i < seen ? exp(of[i]) / sum : 0.0;
}

__global__ void loss_kernel(std::size_t width, const std::int32_t* labels, const double* scores,
                            double* losses) {
  const double* const of = scores + blockIdx.x * width;
  double sum = 0;
  for (std::size_t i = threadIdx.x; i < width; i += kThreads) sum += exp(of[i]);
  sum = sum_of(sum);
  if (threadIdx.x == 0) losses[blockIdx.x] = log(sum) - of[labels[blockIdx.x]];
}

}  // namespace

CudaReference::Layout CudaReference::layout_of(const Model& model, std::size_t samples) {
  constexpr std::size_t kNumber = sizeof(double);
  Arena arena;
  std::vector<std::size_t> values, parameters, scores;
  for (std::size_t i = 0; i < model.operations.size(); ++i) {
    const Operation& operation = model.operations[i];
    std::size_t last = i;
    for (std::size_t taker = i + 1; taker < model.operations.size(); ++taker) {
      const bool takes = model.operations[taker].input == static_cast<int>(i) ||
                         model.operations[taker].other == static_cast<int>(i);
      if (takes) last = taker;
    }
    const std::size_t rows = model.rows(operation, samples);
    values.push_back(
        arena.add((operation.kind == Kind::loss ? rows : rows * operation.out) * kNumber, i, last));
    std::size_t of_parameters = 0;
    for (int tensor = 0; tensor < operation.tensors; ++tensor)
      of_parameters += model.tensors[index(operation.first_tensor + tensor)].size();
    parameters.push_back(arena.add(of_parameters * kNumber, i, i));
    const bool attention = operation.kind == Kind::attention;
    scores.push_back(
        arena.add(attention ? operation.kv_heads * model.sequence * model.sequence * kNumber : 0, i, i));
  }
  arena.place();
  Layout layout;
  layout.size = arena.bytes() / kNumber;
  const auto places = [&](const std::vector<std::size_t>& buffers, std::vector<std::size_t>& to) {
    for (const std::size_t buffer : buffers) to.push_back(arena.offset(buffer) / kNumber);
  };
  places(values, layout.value);
  places(parameters, layout.parameters);
  places(scores, layout.scores);
  return layout;
}

std::uint64_t CudaReference::bytes(const Model& model, std::size_t samples) {
  return std::uint64_t{layout_of(model, samples).size} * sizeof(double);
}

CudaReference::CudaReference(const cublaslt::Handle& handle, const cuda::Device& device, const Model& model,
                             std::size_t samples, device::Workspace workspace)
    : model_(model),
      samples_(samples),
      layout_(layout_of(model, samples)),
      array_(device, layout_.size),
      linears_(model.operations.size()) {
  cublaslt::Problem problem;
  problem.a = problem.b = problem.d = problem.scale = CUDA_R_64F;
  problem.compute = CUBLAS_COMPUTE_64F;
  for (std::size_t i = 0; i < model.operations.size(); ++i) {
    const Operation& operation = model.operations[i];
    if (operation.kind == Kind::linear) {
      cublaslt::Problem linear = problem;
      linear.alignment = 256;
      linear.m = model.rows(operation, samples), linear.n = operation.out, linear.k = operation.in;
      linear.transpose_b = true;
      linears_[i].emplace(handle, linear, workspace);
    }
    if (operation.kind != Kind::attention || scores_) continue;
    const std::size_t s = model.sequence, d = operation.out / operation.heads;
    const std::size_t group = operation.heads / operation.kv_heads;
    problem.alignment = device::alignment_of({d * sizeof(double), s * s * sizeof(double)});
    cublaslt::Problem of_keys = problem;
    of_keys.batch = operation.kv_heads;
    of_keys.m = of_keys.n = s, of_keys.k = d;
    of_keys.transpose_b = true;
    of_keys.factor = 1 / std::sqrt(static_cast<double>(d));
    of_keys.a_row = of_keys.b_row = operation.in;
    of_keys.a_stride = group * d, of_keys.b_stride = d, of_keys.d_stride = s * s;
    scores_.emplace(handle, of_keys, workspace);
    cublaslt::Problem of_values = problem;
    of_values.batch = operation.kv_heads;
    of_values.m = of_values.k = s, of_values.n = d;
    of_values.b_row = operation.in, of_values.d_row = operation.out;
    of_values.a_stride = s * s, of_values.b_stride = d, of_values.d_stride = group * d;
    mixed_.emplace(handle, of_values, workspace);
  }
}

double CudaReference::loss(cudaStream_t stream, const ReferenceBatch& batch,
                           const DeviceParametersOf& parameters, const Interruption& interruption) const {
  for (std::size_t i = 0; i < model_.operations.size(); ++i) {
    run(stream, i, batch, parameters);
    if (!interruption || i % 8 != 7) continue;
    ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
    interruption();
  }
  const std::size_t last = model_.operations.size() - 1,
                    rows = model_.rows(model_.operations[last], samples_);
  std::vector<double> losses(rows);
  ASSAY_CUDA_CHECK(cudaMemcpyAsync(losses.data(), at(layout_.value[last]), rows * sizeof(double),
                                   cudaMemcpyDeviceToHost, stream));
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  TwoSum sum;  // of many rows a plain sum is off by more than a small gradient changes it
  for (const double of_row : losses) sum.add(of_row);
  return sum.value() / static_cast<double>(rows);
}

void CudaReference::run(cudaStream_t stream, std::size_t i, const ReferenceBatch& batch,
                        const DeviceParametersOf& parameters) const {
  const Operation& operation = model_.operations[i];
  const std::size_t rows = model_.rows(operation, samples_), width = operation.out, count = rows * width;
  double* const y = at(layout_.value[i]);
  const double* const x = operation.input == kNone ? nullptr : value(operation.input);
  std::vector<double*> tensors;
  double* next = at(layout_.parameters[i]);
  for (int tensor = 0; tensor < operation.tensors; ++tensor) {
    const std::size_t which = index(operation.first_tensor + tensor);
    parameters(stream, which, next);
    tensors.push_back(next);
    next += model_.tensors[which].size();
  }
  switch (operation.kind) {
    case Kind::received:  // of a part of a model, which the plan refuses
      break;
    case Kind::features:
      return each(stream, count, Features{batch.features, y});
    case Kind::embedding:
      return each(stream, count,
                  Embedding{tensors[0], operation.positions != 0 ? tensors[1] : nullptr,
                            operation.types != 0 ? tensors.back() : nullptr, batch.tokens, model_.sequence,
                            width, operation.types, y});
    case Kind::linear:
      linears_[i]->queue(stream, x, tensors[0], y);
      if (operation.bias) each(stream, count, Bias{tensors[1], width, y});
      return;
    case Kind::layer_norm:
    case Kind::rms_norm:
      norm_kernel<<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(
          width, x, tensors[0], operation.kind == Kind::layer_norm ? tensors[1] : nullptr, y);
      break;
    case Kind::attention:
      return attention(stream, i);
    case Kind::gelu:
      return each(stream, count, Gelu{x, y});
    case Kind::tanh:
      return each(stream, count, Tanh{x, y});
    case Kind::swiglu:
      return each(stream, count, Swiglu{x, y, width});
    case Kind::add:
      return each(stream, count, Added{x, value(operation.other), y});
    case Kind::first_token:
      return each(stream, count, FirstToken{x, y, model_.sequence, width});
    case Kind::loss:
      loss_kernel<<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(operation.in, batch.labels, x, y);
      break;
  }
  ASSAY_CUDA_CHECK_LAUNCH("the reference");
}

void CudaReference::attention(cudaStream_t stream, std::size_t i) const {
  const Operation& operation = model_.operations[i];
  const std::size_t s = model_.sequence, d = operation.out / operation.heads;
  double *const all = value(operation.input), *const scores = at(layout_.scores[i]);
  const std::size_t turned = operation.heads + operation.kv_heads;
  if (operation.rotary_base > 0)
    each(stream, samples_ * s * turned * (d / 2),
         Rotation{all, s, operation.in, turned, d, operation.rotary_base});
  for (std::size_t sample = 0; sample < samples_; ++sample) {
    const double* const token = all + sample * s * operation.in;
    for (std::size_t member = 0; member < operation.heads / operation.kv_heads; ++member) {
      scores_->queue(stream, token + member * d, token + operation.heads * d, scores);
      softmax_kernel<<<static_cast<unsigned>(operation.kv_heads * s), kThreads, 0, stream>>>(
          s, operation.causal, scores);
      ASSAY_CUDA_CHECK_LAUNCH("the reference");
      mixed_->queue(stream, scores, token + turned * d,
                    value(static_cast<int>(i)) + sample * s * operation.out + member * d);
    }
  }
}

}  // namespace assay::plugins::model
