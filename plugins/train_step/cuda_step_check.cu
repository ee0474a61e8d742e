// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_gradient_check.hpp"
#include "lib/model/cuda_update_check.hpp"
#include "lib/two_sum.hpp"
#include "train_step/cuda_step_check.hpp"

#include <assay/cuda/error.hpp>
#include <assay/cuda/memory.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cuda_bf16.h>
#include <vector>

namespace assay::plugins::train_step {
namespace {

// Adds a hash of each number and its place, in any order. `Word` has the number's bits.
template <class Word>
__global__ void hash_kernel(const Word* data, std::size_t count, std::uint64_t first,
                            unsigned long long* sum) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all) {
    std::uint64_t word = ((first + i) << 32 ^ data[i]) * 0x9E3779B97F4A7C15ull;
    word = (word ^ word >> 32) * 0xD6E8FEB86659FD93ull;
    mine += word ^ word >> 32;
  }
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(0xffffffffu, mine, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

// Of all numbers of the model in an array at these places, bit for bit; gaps between tensors are left out.
std::uint64_t hash_of(const cuda::Device& device, cudaStream_t stream, const model::Model& model,
                      const model::TensorPlaces& places, std::size_t element_bytes, const void* array) {
  const cuda::DeviceBuffer<unsigned long long> sum(device, 1);
  ASSAY_CUDA_CHECK(cudaMemsetAsync(sum.data(), 0, sum.bytes(), stream));
  for (std::size_t t = 0; t < model.tensors.size(); ++t) {
    const std::size_t size = model.tensors[t].size(), offset = places.offset(t);
    const unsigned blocks = static_cast<unsigned>(std::min<std::size_t>((size + 255) / 256, 2048));
    if (element_bytes == sizeof(std::uint32_t)) {
      hash_kernel<<<blocks, 256, 0, stream>>>(static_cast<const std::uint32_t*>(array) + offset, size, offset,
                                              sum.data());
    } else {
      hash_kernel<<<blocks, 256, 0, stream>>>(static_cast<const std::uint16_t*>(array) + offset, size, offset,
                                              sum.data());
    }
    ASSAY_CUDA_CHECK_LAUNCH("the hash of an array");
  }
  return sum.copy_back(stream, 0, 1)[0];
}

__global__ void count_other_copies_kernel(const float* numbers, const __nv_bfloat16* copy, std::size_t count,
                                          unsigned long long* wrong) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all)
    mine += __bfloat162float(copy[i]) == __bfloat162float(__float2bfloat16(numbers[i])) ? 0 : 1;
  if (mine != 0) atomicAdd(wrong, mine);
}

}  // namespace

std::uint64_t DeviceStepCheck::bytes(const model::Model& model, const DeviceStepOptions& options) {
  constexpr std::uint64_t kRest = std::uint64_t{64}
                                  << 20;  // inputs of a micro-batch, what updates are checked with
  const StepOptions& step = options.of_step;
  std::uint64_t gathered = 0;  // parameters where they are in shares, gradients, AdamW's numbers
  if (options.shards()) {
    const std::uint64_t arrays =
        (options.shards_parameters() ? 2 : 1) + (step.optimizer == Optimizer::adamw ? 2 : 0);
    gathered =
        arrays * DeviceLayout(model, options).places.size() * model::bytes_of(options.arithmetic).parameter;
  }
  if (options.carries_on()) gathered += DeviceLayout(model, options).places.size() * sizeof(float);
  if (!options.computes()) return gathered + kRest;
  const std::uint64_t inputs =
      4 * step.samples() * model.sequence * (model.reads_tokens() ? 1 : model.operations.front().out);
  return model::CudaReference::bytes(model, step.micro_batch) + gathered + inputs + kRest;
}

void DeviceStepCheck::check(cudaStream_t stream, Verification& seen) const {
  const DeviceState left = step_.state(stream);
  const model::CudaState& state = left.arrays;
  if (state.remainder != nullptr && state.steps > 1) {
    check_remainder(stream, state, seen);  // what earlier steps carried in is gone
  } else if (step_.computes()) {
    check_slopes(stream, state, seen);
  } else {
    const bool averages = step_.options().averages;
    const StepOptions& options = step_.options().of_step;
    model::check_gradients(run_, device_, stream, step_.inputs(), averages ? 0 : options.rank,
                           averages ? options.ranks : 1, state.gradients, seen,
                           step_.options().averages_halves());
  }
  if (step_.options().averages) check_ranks(stream, state, seen);
  check_copy(stream, state, seen);
  if (!step_.updates()) {
    model::check_parameters(run_, device_, stream, step_.inputs(), state.parameters, seen);
  } else if (state.steps <= 1) {  // the check does not recompute many steps
    model::check_first_update(device_, stream, step_.inputs(), state, seen);
  }
}

void DeviceStepCheck::check_slopes(cudaStream_t stream, const model::CudaState& state,
                                   Verification& seen) const {
  const model::Model& model = step_.model();
  const StepOptions& options = step_.options().of_step;
  const model::Arithmetic arithmetic = step_.options().arithmetic;
  const std::size_t samples = options.samples(), labels = options.micro_batch * model.labels();
  const std::size_t width = model.reads_tokens() ? model.sequence : model.operations.front().out;
  const cuda::DeviceBuffer<std::int32_t> tokens(device_, model.reads_tokens() ? samples * width : 0);
  const cuda::DeviceBuffer<float> features(device_, model.reads_tokens() ? 0 : samples * width);
  const cuda::DeviceBuffer<std::int32_t> labels_there(device_, labels);
  for (std::size_t micro = 0; micro < options.accumulation; ++micro) {
    const std::size_t first = options.first_sample(micro) * width, count = options.micro_batch * width;
    if (model.reads_tokens()) {
      model::draw_tokens(stream, step_.inputs(), first, count, tokens.data() + micro * count);
    } else {
      model::draw_features(stream, step_.inputs(), first, count, features.data() + micro * count);
    }
  }
  const model::CudaReference reference(handle_, device_, model, options.micro_batch, step_.workspace());
  const auto loss = [&](const model::DeviceParametersOf& parameters) {
    TwoSum sum;
    for (std::size_t micro = 0; micro < options.accumulation; ++micro) {
      model::draw_labels(stream, step_.inputs_state(), step_.step_number(),
                         options.first_sample(micro) * model.labels(), labels, model.classes(),
                         labels_there.data());
      const std::size_t first = micro * options.micro_batch * width;
      const model::ReferenceBatch batch = {tokens.data() + (model.reads_tokens() ? first : 0),
                                           features.data() + (model.reads_tokens() ? 0 : first),
                                           labels_there.data()};
      sum.add(reference.loss(stream, batch, parameters, [this] { run_.throw_if_cancelled(); }));
    }
    return mean_over_ranks(sum.value() / static_cast<double>(options.accumulation));
  };
  const auto found =
      model::slopes(device_, stream, model, step_.places(), state, loss, model::slope_directions(arithmetic),
                    options.seed, rounding_of(step_.options()));
  // Over directions, because errors of narrow types are large enough to be seen along one by chance.
  const double tolerance = model::slope_tolerance(arithmetic) + model::allowance_of(found.front());
  seen.expect_close(model::rms_difference(found), 0, absolute(tolerance), 0);
}

double DeviceStepCheck::mean_over_ranks(double mine) const {
  if (!step_.options().averages) return mine;
  double sum = 0;
  for (const double of : group_.allgather(mine)) sum += of;
  return sum / static_cast<double>(group_.size());
}

// After the update, too: equal gradients of equal parameters make equal parameters.
void DeviceStepCheck::check_ranks(cudaStream_t stream, const model::CudaState& state,
                                  Verification& seen) const {
  for (const void* array : {state.gradients, state.parameters}) {
    const std::uint64_t mine = hash_of(device_, stream, step_.model(), step_.places(),
                                       model::bytes_of(state.arithmetic).parameter, array);
    std::uint64_t wrong = 0;
    for (const std::uint64_t of : group_.allgather(mine)) wrong += of != mine ? 1 : 0;
    seen.count(
        group_.size(), wrong,
        array == state.parameters ? "another rank has other parameters" : "another rank has other gradients");
  }
}

void DeviceStepCheck::check_remainder(cudaStream_t stream, const model::CudaState& state,
                                      Verification& seen) const {
  std::size_t tensor = 0;
  for (const model::RemainderSums& of :
       model::remainder_sums(device_, stream, step_.model(), step_.places(), state)) {
    const double limit = 1e-4 * std::sqrt(of.taken * of.left) + 1e-6 * of.taken;
    seen.expect_close(of.product, 0, absolute(limit), tensor++);
  }
}

// What the next step's products take is what the update, or gathering behind it, made of the parameters.
void DeviceStepCheck::check_copy(cudaStream_t stream, const model::CudaState& state,
                                 Verification& seen) const {
  const auto* const copy = static_cast<const __nv_bfloat16*>(step_.copied_parameters());
  if (copy == nullptr) return;
  const cuda::DeviceBuffer<unsigned long long> wrong(device_, 1);
  ASSAY_CUDA_CHECK(cudaMemsetAsync(wrong.data(), 0, wrong.bytes(), stream));
  for (std::size_t t = 0; t < step_.model().tensors.size(); ++t) {
    const std::size_t size = step_.model().tensors[t].size(), offset = step_.places().offset(t);
    const unsigned blocks = static_cast<unsigned>(std::min<std::size_t>((size + 255) / 256, 2048));
    count_other_copies_kernel<<<blocks, 256, 0, stream>>>(
        static_cast<const float*>(state.parameters) + offset, copy + offset, size, wrong.data());
    ASSAY_CUDA_CHECK_LAUNCH("the check of copied parameters");
  }
  seen.count(step_.model().parameters(), wrong.copy_back(stream, 0, 1)[0],
             "what products take is not the parameter, rounded");
}

}  // namespace assay::plugins::train_step
