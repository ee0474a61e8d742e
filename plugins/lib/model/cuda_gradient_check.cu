// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_gradient_check.hpp"
#include "lib/model/cuda_lanes.cuh"

#include <assay/cuda/error.hpp>
#include <assay/cuda/memory.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace assay::plugins::model {
namespace {

constexpr unsigned kThreads = 256;
constexpr int kMostDirections = 8;

// Of a tensor's gradient, in double precision: the sum of squares, then those along directions.
struct Sums {
  double of[1 + kMostDirections];
};

template <class P>
__global__ void sums_kernel(const P* gradients, const P* remainder, std::size_t first, std::size_t size,
                            std::uint64_t seed, int directions, Sums* sums) {
  double mine[1 + kMostDirections] = {};
  const std::size_t all = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < size; i += all) {
    double g = static_cast<double>(number_of(gradients[i]));
    if (remainder) g += static_cast<double>(number_of(remainder[i]));
    mine[0] += g * g;
    for (int direction = 0; direction < directions; ++direction) {
      const std::uint64_t bits = Direction(seed, direction).bits((first + i) / 64);
      mine[1 + direction] += g * Direction::sign(bits, first + i);
    }
  }
  for (int which = 0; which <= directions; ++which) {
    double sum = mine[which];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(&sums->of[which], sum);
  }
}

template <class P>
__global__ void remainder_kernel(const P* gradients, const P* remainder, std::size_t size,
                                 RemainderSums* sums) {
  double product = 0, taken = 0, left = 0;
  const std::size_t all = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < size; i += all) {
    const double g = static_cast<double>(number_of(gradients[i])),
                 e = static_cast<double>(number_of(remainder[i]));
    product += g * e;
    taken += g * g;
    left += e * e;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    product += __shfl_down_sync(0xffffffffu, product, distance);
    taken += __shfl_down_sync(0xffffffffu, taken, distance);
    left += __shfl_down_sync(0xffffffffu, left, distance);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&sums->product, product);
  atomicAdd(&sums->taken, taken);
  atomicAdd(&sums->left, left);
}

// Parameters from before the last update, and as far along a direction as `change` says.
template <class P>
struct Moved {
  const P *parameters, *gradients, *first_moments, *second_moments;
  LastUpdate update;
  Sgd sgd;
  AdamW::Exact adamw;
  std::size_t first;  // the number of the tensor's first parameter in the model
  std::uint64_t seed;
  int direction;
  double change;

  __device__ double operator()(std::size_t i) const {
    double w = static_cast<double>(number_of(parameters[i]));
    if (update == LastUpdate::sgd)
      w += static_cast<double>(sgd.rate) * static_cast<double>(number_of(gradients[i]));
    if (update == LastUpdate::adamw) {
      const double m = static_cast<double>(number_of(first_moments[i]));
      const double v = static_cast<double>(number_of(second_moments[i]));
      w = (w + adamw.rate * m / (sqrt(v) * adamw.second + adamw.epsilon)) / adamw.kept;
    }
    // An update moves a parameter by whole steps of its type, and as many of them lead back.
    if (sizeof(P) < sizeof(float)) w = static_cast<double>(number_of(rounded_to<P>(static_cast<float>(w))));
    return w + change * Direction::sign(Direction(seed, direction).bits((first + i) / 64), first + i);
  }
};

template <class P>
__global__ void moved_kernel(Moved<P> moved, std::size_t size, double* out) {
  const std::size_t all = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < size; i += all)
    out[i] = moved(i);
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>(std::min<std::size_t>((size + kThreads - 1) / kThreads, 4096));
}

template <class P>
std::vector<Slope> slopes_of(const cuda::Device& device, cudaStream_t stream, const Model& model,
                             const TensorArraysOf& arrays, const CudaState& state, const DeviceLossOf& loss,
                             int directions, std::uint64_t seed, ElementError rounding) {
  const cuda::DeviceBuffer<Sums> sums_there(device, model.tensors.size());
  ASSAY_CUDA_CHECK(cudaMemsetAsync(sums_there.data(), 0, sums_there.bytes(), stream));
  for (std::size_t t = 0; t < model.tensors.size(); ++t) {
    const Tensor& tensor = model.tensors[t];
    sums_kernel<P><<<blocks_for(tensor.size()), kThreads, 0, stream>>>(
        static_cast<const P*>(arrays(t).gradients), static_cast<const P*>(arrays(t).remainder), tensor.offset,
        tensor.size(), seed, directions, sums_there.data() + t);
    ASSAY_CUDA_CHECK_LAUNCH("sums of gradients");
  }
  const std::vector<Sums> sums = sums_there.copy_back(stream, 0, sums_there.size());
  std::vector<double> norms;
  for (const Sums& each : sums) norms.push_back(std::sqrt(each.of[0]));
  const std::vector<double> changes = changes_of(model, norms);
  const double unit = unit_of(norms, changes);

  Moved<P> moved{};
  moved.update = state.steps > 0 ? state.update : LastUpdate::none;
  moved.adamw = AdamW().exact(std::max<std::uint64_t>(1, state.steps));
  moved.seed = seed;
  const auto loss_at = [&](int direction, double way) {
    return loss([&](cudaStream_t queue, std::size_t t, double* out) {
      Moved<P> of = moved;
      const TensorArrays tensor = arrays(t);
      of.parameters = static_cast<const P*>(tensor.parameters);
      of.gradients = static_cast<const P*>(tensor.gradients);
      of.first_moments = static_cast<const P*>(tensor.first_moments);
      of.second_moments = static_cast<const P*>(tensor.second_moments);
      of.first = model.tensors[t].offset;
      of.direction = direction;
      of.change = way * changes[t];
      moved_kernel<P>
          <<<blocks_for(model.tensors[t].size()), kThreads, 0, queue>>>(of, model.tensors[t].size(), out);
      ASSAY_CUDA_CHECK_LAUNCH("parameters along a direction");
    });
  };
  // All directions begin at one place. Steps are so small that the loss bends by millionths of the slope.
  const double here = loss_at(0, 0);
  std::vector<Slope> result;
  for (int direction = 0; direction < directions; ++direction) {
    Slope slope;
    slope.rounding = rounding_of(model, norms, changes, rounding);
    for (std::size_t t = 0; t < sums.size(); ++t)
      slope.by_gradient += sums[t].of[1 + direction] * changes[t] / unit;
    slope.by_difference = (loss_at(direction, 1) - here) / unit;
    result.push_back(slope);
  }
  return result;
}

}  // namespace

std::vector<RemainderSums> remainder_sums(const cuda::Device& device, cudaStream_t stream, const Model& model,
                                          const TensorPlaces& places, const CudaState& state) {
  const cuda::DeviceBuffer<RemainderSums> there(device, model.tensors.size());
  ASSAY_CUDA_CHECK(cudaMemsetAsync(there.data(), 0, there.bytes(), stream));
  const auto queue = [&](auto type) {
    using P = decltype(type);
    for (std::size_t t = 0; t < model.tensors.size(); ++t) {
      const std::size_t size = model.tensors[t].size(), offset = places.offset(t);
      remainder_kernel<P><<<blocks_for(size), kThreads, 0, stream>>>(
          static_cast<const P*>(state.gradients) + offset, static_cast<const P*>(state.remainder) + offset,
          size, there.data() + t);
      ASSAY_CUDA_CHECK_LAUNCH("sums of what gradients lack");
    }
  };
  if (bytes_of(state.arithmetic).parameter == sizeof(float)) {
    queue(float());
  } else {
    queue(Bf16());
  }
  return there.copy_back(stream, 0, there.size());
}

double rms_difference(const std::vector<Slope>& found) {
  double squares = 0;
  for (const Slope& slope : found)
    squares += (slope.by_gradient - slope.by_difference) * (slope.by_gradient - slope.by_difference);
  return std::sqrt(squares / static_cast<double>(found.size()));
}

double slope_tolerance(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::fp32:
      return kSlopeTolerance;
    case Arithmetic::tf32:
      return 0.01;
    default:
      return 0.075;
  }
}

int slope_directions(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::fp32 || arithmetic == Arithmetic::tf32 ? 2 : 4;
}

std::vector<Slope> slopes(const cuda::Device& device, cudaStream_t stream, const Model& model,
                          const TensorArraysOf& arrays, const CudaState& state, const DeviceLossOf& loss,
                          int directions, std::uint64_t seed, ElementError rounding) {
  directions = std::min(directions, kMostDirections);
  const auto of = bytes_of(state.arithmetic).parameter == sizeof(float) ? slopes_of<float> : slopes_of<Bf16>;
  return of(device, stream, model, arrays, state, loss, directions, seed, rounding);
}

std::vector<Slope> slopes(const cuda::Device& device, cudaStream_t stream, const Model& model,
                          const TensorPlaces& places, const CudaState& state, const DeviceLossOf& loss,
                          int directions, std::uint64_t seed, ElementError rounding) {
  const std::size_t bytes = bytes_of(state.arithmetic).parameter;
  const auto arrays = [&](std::size_t tensor) {
    const auto from = [&](const void* array) -> const void* {
      return array == nullptr ? nullptr
                              : static_cast<const std::byte*>(array) + places.offset(tensor) * bytes;
    };
    return TensorArrays{from(state.parameters), from(state.gradients), from(state.first_moments),
                        from(state.second_moments), from(state.remainder)};
  };
  return slopes(device, stream, model, TensorArraysOf(arrays), state, loss, directions, seed, rounding);
}

}  // namespace assay::plugins::model
