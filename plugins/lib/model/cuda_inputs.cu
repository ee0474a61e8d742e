// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_inputs.hpp"
#include "lib/model/cuda_lanes.cuh"
#include "lib/model/inputs.hpp"

#include <assay/cuda/compare.hpp>
#include <assay/cuda/error.hpp>
#include <assay/random.hpp>

#include <algorithm>

namespace assay::plugins::model {
namespace {

constexpr unsigned kThreads = 256;

// Calls number(i) for the numbers of a run of elements.
template <class Element, class Number>
__global__ void write_kernel(Number number, std::size_t count, Element* to) {
  const std::size_t all = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += all)
    to[i] = number(i);
}
template <class Element, class Number>
void write(cudaStream_t stream, const Number& number, std::size_t count, Element* to) {
  if (count == 0) return;
  const std::size_t blocks = std::min<std::size_t>((count + kThreads - 1) / kThreads, 1 << 14);
  write_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(number, count, to);
  ASSAY_CUDA_CHECK_LAUNCH("inputs");
}

// Element i of a tensor that begins at parameter `first`.
template <class P>
struct Parameter {
  Random random;
  Start start;
  std::size_t first;
  __device__ P operator()(std::uint64_t i) const {
    if (start != Start::uniform) return rounded_to<P>(start == Start::ones ? 1.0F : 0.0F);
    const std::uint64_t at = first + i;
    return rounded_to<P>(StepInputs::uniform(random.block(at / 4).word[at % 4]));
  }
};
// Of a rank. The eight bits of bf16 hold sums of numbers of three; those of fp32 of ten.
template <class P>
struct Gradient {
  std::uint64_t seed;
  std::size_t first;
  std::uint32_t rank;
  const StepState* state = nullptr;  // has the seed, where it is given
  static constexpr int kDropped = sizeof(P) == sizeof(float) ? 0 : 7;
  __device__ std::int64_t code(std::uint64_t i, std::uint32_t of) const {
    return StepInputs::coded(state ? state->seed : seed, of, first + i) >> kDropped;
  }
  __device__ P operator()(std::uint64_t i) const {
    return rounded_to<P>(static_cast<float>(code(i, rank)) / (1024 >> kDropped));
  }
};
// Compares equal to every number within `limit`.
struct Near {
  float number, limit;
};
template <class P>
__device__ bool operator==(P seen, Near wanted) {
  return fabsf(number_of(seen) - wanted.number) <= wanted.limit;
}
template <class P>
struct AverageGradient {
  Gradient<P> of;  // the first rank
  std::uint32_t ranks;
  bool halves;
  __device__ Near operator()(std::uint64_t i) const {
    std::int64_t sum = 0;
    for (std::uint32_t r = of.rank; r < of.rank + ranks; ++r) sum += of.code(i, r);
    const float average = static_cast<float>(sum) / (1024 >> Gradient<P>::kDropped) / ranks;
    const bool exact = ranks == 1 || ranks == 2 || ranks == 4 || ranks == 8;
    if (halves && ranks > 4) return {average, 2e-3F};
    // Of numbers below 1, averaged again and again; a sum that lacks a rank is further off.
    return {average, exact ? 0 : sizeof(P) == sizeof(float) ? 1e-4F : 0.05F};
  }
};
struct Token {
  Random random;
  std::size_t words, first;
  __device__ std::int32_t operator()(std::size_t i) const {
    return StepInputs::below(random, first + i, words);
  }
};
template <class C>
struct Feature {
  Random random;
  std::size_t first;
  __device__ C operator()(std::size_t i) const {
    return rounded_to<C>(static_cast<float>(random.uniform(first + i)));
  }
};
template <class C>
struct Rounded {
  const float* from;
  __device__ C operator()(std::size_t i) const { return rounded_to<C>(from[i]); }
};
struct Label {
  const StepState* state;
  const std::uint64_t* step;
  std::size_t first, classes;
  __device__ std::int32_t operator()(std::size_t i) const {
    const std::uint64_t before = *step > 0 ? *step - 1 : 0;
    return StepInputs::below(Random(state->seed, StepInputs::kLabels),
                             StepInputs::label_index(before, first + i), classes);
  }
};

__global__ void state_kernel(StepState state, StepState* to) { *to = state; }

// Calls body(tensor, pointer to its elements) with the array in its type.
template <class Body>
void each_tensor(const DeviceInputs& inputs, TensorRange range, void* array, const Body& body) {
  for (std::size_t t = range.first; t < range.end; ++t) {
    const std::size_t offset = inputs.places->offset(t);
    if (bytes_of(inputs.arithmetic).parameter == sizeof(float)) {
      body(inputs.model->tensors[t], static_cast<float*>(array) + offset);
    } else {
      body(inputs.model->tensors[t], static_cast<Bf16*>(array) + offset);
    }
  }
}
template <class P>
Parameter<P> parameter_of(const DeviceInputs& inputs, const Tensor& tensor) {
  return {Random(inputs.seed, StepInputs::kParameters), tensor.start, tensor.offset};
}
template <class P>
Gradient<P> gradient_of(const DeviceInputs& inputs, const Tensor& tensor, std::uint32_t rank,
                        const StepState* state = nullptr) {
  return {inputs.seed, tensor.offset, rank, state};
}

TensorRange all_of(const DeviceInputs& inputs) { return {0, inputs.model->tensors.size()}; }

}  // namespace

void draw_parameters(cudaStream_t stream, const DeviceInputs& inputs, void* parameters) {
  draw_parameters(stream, inputs, all_of(inputs), parameters);
}
void draw_parameters(cudaStream_t stream, const DeviceInputs& inputs, TensorRange of, void* parameters) {
  each_tensor(inputs, of, parameters, [&](const Tensor& tensor, auto* to) {
    write(stream, parameter_of<std::remove_pointer_t<decltype(to)>>(inputs, tensor), tensor.size(), to);
  });
}

void draw_gradients(cudaStream_t stream, const DeviceInputs& inputs, std::uint32_t rank, void* gradients) {
  draw_gradients(stream, inputs, nullptr, rank, all_of(inputs), gradients);
}
void draw_gradients(cudaStream_t stream, const DeviceInputs& inputs, const StepState* state,
                    std::uint32_t rank, TensorRange of, void* gradients) {
  each_tensor(inputs, of, gradients, [&](const Tensor& tensor, auto* to) {
    write(stream, gradient_of<std::remove_pointer_t<decltype(to)>>(inputs, tensor, rank, state),
          tensor.size(), to);
  });
}

void draw_tokens(cudaStream_t stream, const DeviceInputs& inputs, std::size_t first, std::size_t count,
                 std::int32_t* tokens) {
  const Random random(inputs.seed, StepInputs::kTokens);
  write(stream, Token{random, inputs.model->operations.front().words, first}, count, tokens);
}

void draw_features(cudaStream_t stream, const DeviceInputs& inputs, std::size_t first, std::size_t count,
                   float* features) {
  write(stream, Feature<float>{Random(inputs.seed, StepInputs::kFeatures), first}, count, features);
}

void draw_rounded_features(cudaStream_t stream, const DeviceInputs& inputs, std::size_t first,
                           std::size_t count, void* features) {
  if (bytes_of(inputs.arithmetic).compute == sizeof(float))
    return draw_features(stream, inputs, first, count, static_cast<float*>(features));
  write(stream, Feature<Bf16>{Random(inputs.seed, StepInputs::kFeatures), first}, count,
        static_cast<Bf16*>(features));
}

void round_features(cudaStream_t stream, Arithmetic arithmetic, std::size_t count, const float* from,
                    void* features) {
  if (bytes_of(arithmetic).compute == sizeof(float))
    return write(stream, Rounded<float>{from}, count, static_cast<float*>(features));
  write(stream, Rounded<Bf16>{from}, count, static_cast<Bf16*>(features));
}

void write_state(cudaStream_t stream, const StepState& state, StepState* to) {
  state_kernel<<<1, 1, 0, stream>>>(state, to);
  ASSAY_CUDA_CHECK_LAUNCH("the state of a step");
}

void draw_labels(cudaStream_t stream, const StepState* state, const std::uint64_t* step, std::size_t first,
                 std::size_t count, std::size_t classes, std::int32_t* labels) {
  write(stream, Label{state, step, first, classes}, count, labels);
}

void check_parameters(const Case& run, const cuda::Device& device, cudaStream_t stream,
                      const DeviceInputs& inputs, const void* parameters, Verification& seen) {
  each_tensor(inputs, all_of(inputs), const_cast<void*>(parameters),
              [&](const Tensor& tensor, const auto* at) {
                using P = std::remove_const_t<std::remove_pointer_t<decltype(at)>>;
                cuda::compare(run, device, stream, at, tensor.size(), parameter_of<P>(inputs, tensor), seen);
              });
}

void check_gradients(const Case& run, const cuda::Device& device, cudaStream_t stream,
                     const DeviceInputs& inputs, std::uint32_t rank, std::uint32_t ranks,
                     const void* gradients, Verification& seen, bool halves) {
  each_tensor(inputs, all_of(inputs), const_cast<void*>(gradients),
              [&](const Tensor& tensor, const auto* at) {
                using P = std::remove_const_t<std::remove_pointer_t<decltype(at)>>;
                cuda::compare(run, device, stream, at, tensor.size(),
                              AverageGradient<P>{gradient_of<P>(inputs, tensor, rank), ranks, halves}, seen);
              });
}

}  // namespace assay::plugins::model
