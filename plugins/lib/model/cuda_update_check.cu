// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_lanes.cuh"
#include "lib/model/cuda_update_check.hpp"
#include "lib/model/inputs.hpp"

#include <assay/cuda/error.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::model {
namespace {

constexpr std::size_t kMostUpdates = std::size_t{1} << 18;

// What is known of one parameter behind a step.
struct Found {
  float parameter, gradient, first, second;
};

template <class P>
__global__ void gather_kernel(const std::uint64_t* which, std::size_t count, const P* parameters,
                              const P* gradients, const P* first, const P* second, Found* found) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::uint64_t at = which[i];
  const auto of = [at](const P* array) { return array ? number_of(array[at]) : 0.0F; };
  found[i] = {of(parameters), of(gradients), of(first), of(second)};
}

std::vector<Found> gather(const cuda::Device& device, cudaStream_t stream, const CudaState& state,
                          const std::vector<std::uint64_t>& which) {
  const cuda::DeviceBuffer<std::uint64_t> there(device, which.size());
  const cuda::DeviceBuffer<Found> found(device, which.size());
  ASSAY_CUDA_CHECK(
      cudaMemcpyAsync(there.data(), which.data(), there.bytes(), cudaMemcpyHostToDevice, stream));
  const auto queue = [&](auto type) {
    using P = decltype(type);
    const auto from = [](const void* array) { return static_cast<const P*>(array); };
    gather_kernel<P><<<static_cast<unsigned>((which.size() + 255) / 256), 256, 0, stream>>>(
        there.data(), which.size(), from(state.parameters), from(state.gradients), from(state.first_moments),
        from(state.second_moments), found.data());
    ASSAY_CUDA_CHECK_LAUNCH("the check of updates");
  };
  if (bytes_of(state.arithmetic).parameter == sizeof(float)) {
    queue(float());
  } else {
    queue(Bf16());
  }
  return found.copy_back(stream, 0, which.size());
}

// Half a step of the type, and as much again.
double rounding_of(Arithmetic arithmetic) {
  return bytes_of(arithmetic).parameter == sizeof(float) ? 2.4e-7 : 0x1p-8;
}

}  // namespace

void check_first_update(const cuda::Device& device, cudaStream_t stream, const DeviceInputs& inputs,
                        const CudaState& state, Verification& seen) {
  const Model& model = *inputs.model;
  const std::size_t begin = model.tensors.front().offset;
  const std::size_t all = model.parameters() - begin, count = std::min(all, kMostUpdates);
  const Random random(inputs.seed, 0xC4EC);
  const StepInputs drawn(model, inputs.seed);
  const bool narrow = bytes_of(state.arithmetic).parameter != sizeof(float);
  std::vector<std::uint64_t> which, places;
  std::vector<double> starts;
  for (std::size_t draw = 0; draw < count; ++draw) {
    const std::size_t i = count == all ? draw : random.bits(draw) % all;
    const std::size_t number = model.tensor_of(begin + i);
    const Tensor& tensor = model.tensors[number];
    which.push_back(i);
    places.push_back(inputs.places->offset(number) + begin + i - tensor.offset);
    const float start = drawn.parameter(tensor, begin + i);
    starts.push_back(static_cast<double>(narrow ? __bfloat162float(__float2bfloat16(start)) : start));
  }
  const std::vector<Found> found = gather(device, stream, state, places);
  const double rounding = rounding_of(state.arithmetic);
  const AdamW adamw;
  const Sgd sgd;
  for (std::size_t draw = 0; draw < count; ++draw) {
    const double g = static_cast<double>(found[draw].gradient), start = starts[draw];
    double expected = sgd.next(start, g);
    if (state.update == LastUpdate::adamw) {
      const double m = (1 - static_cast<double>(adamw.beta1)) * g;
      const double v = (1 - static_cast<double>(adamw.beta2)) * g * g;
      const double share = std::max(1e-6, rounding);
      // Squares of the smallest gradients are below the normal numbers.
      seen.expect_close(static_cast<double>(found[draw].first), m, absolute(share * std::fabs(m) + 1e-37),
                        which[draw]);
      seen.expect_close(static_cast<double>(found[draw].second), v, absolute(share * v + 1e-37), which[draw]);
      expected = adamw.exact(1).next(start, m, v);
    }
    // The rounding of the sum, and some of the change.
    const double limit = rounding * std::fabs(expected) + 4e-6 * std::fabs(expected - start);
    seen.expect_close(static_cast<double>(found[draw].parameter), expected, absolute(limit + 1e-15),
                      which[draw]);
  }
}

}  // namespace assay::plugins::model
