// SPDX-License-Identifier: Apache-2.0
#include "train_step/sharded_device_step.hpp"

#include <assay/cuda/error.hpp>

#include <numeric>
#include <utility>

namespace assay::plugins::train_step {

std::size_t ShardedDeviceStep::begin_of(const std::vector<std::size_t>& buffers, std::size_t number) {
  return std::accumulate(buffers.begin(), buffers.begin() + static_cast<std::ptrdiff_t>(number),
                         std::size_t{0});
}

// Unit by unit, each in the place of its forward pass, of which the share is kept.
void ShardedDeviceStep::draw_parameters(cudaStream_t stream) const {
  for (const model::Stage& stage : plan().schedule.stages) {
    if (stage.backward) break;
    const model::ShardUnit& unit = plan().layout.units[stage.unit];
    model::draw_parameters(stream, inputs_at(layout_.network.forward), {unit.first_tensor, unit.end_tensor},
                           memory_.gathered);
    const std::size_t numbers = layout_.share(stage.unit);
    const std::size_t from =
        begin_of(plan().schedule.parameter_buffers, stage.parameters) + options_.of_step.rank * numbers;
    ASSAY_CUDA_CHECK(cudaMemcpyAsync(share(memory_.optimizer.parameters, stage.unit),
                                     memory_.gathered + from * bytes_.parameter, numbers * bytes_.parameter,
                                     cudaMemcpyDeviceToDevice, stream));
  }
}

// What was gathered is not there any more either.
void ShardedDeviceStep::destroy_gradients(cudaStream_t stream) const {
  const auto destroy = [&](void* array, std::size_t numbers) {
    ASSAY_CUDA_CHECK(cudaMemsetAsync(array, 0xFF, numbers * bytes_.parameter, stream));
  };
  destroy(memory_.optimizer.gradients, layout_.held());
  destroy(memory_.gathered, layout_.gathered());
  destroy(memory_.unreduced, layout_.unreduced());
}

double ShardedDeviceStep::sent_bytes() const {
  const StepOptions& step = options_.of_step;
  const ShardPlan without_gaps = make_shard_plan(model_, step.shards, step.ranks);
  return sent_elements(without_gaps, step.shards.sharding, step.accumulation) *
         static_cast<double>(bytes_.parameter);
}

void ShardedDeviceStep::pass(cudaStream_t stream, std::size_t micro) {
  const model::CudaBatch batch = computes() ? this->batch(stream, micro) : model::CudaBatch();
  next_ = 0;
  before_ = transfers_->count();
  allow(stream, 0, micro);
  const std::vector<model::Stage>& stages = plan().schedule.stages;
  for (std::size_t at = 0; at < stages.size(); ++at) {
    if (stages[at].transfers != 0) transfers_->wait(stream, before_ + stages[at].transfers);
    mark(stream, Phase::exposed);
    compute(stream, stages[at], batch, micro);
    mark(stream, stages[at].backward ? Phase::backward : Phase::forward);
    allow(stream, at + 1, micro);
  }
  transfers_->wait(stream, transfers_->count());
  mark(stream, Phase::exposed);
}

void ShardedDeviceStep::allow(cudaStream_t stream, std::size_t stages, std::size_t micro) {
  for (const std::size_t may = plan().schedule.allowed_after(stages); next_ < may; ++next_) {
    const model::Transfer& transfer = plan().schedule.transfers[next_];
    transfers_->add(stream, transfer.reduce ? Phase::reduce : Phase::gather,
                    [&] { transfer.reduce ? reduce(transfer, micro) : gather(transfer); });
  }
}

void ShardedDeviceStep::gather(const model::Transfer& transfer) const {
  const std::size_t begin = begin_of(plan().schedule.parameter_buffers, transfer.buffer);
  model::OptimizerMemory whole;
  whole.parameters = memory_.gathered + begin * bytes_.parameter;
  collectives_->gather(share(memory_.optimizer.parameters, transfer.unit), whole.parameters,
                       layout_.share(transfer.unit));
  if (!bytes_.copies_parameters()) return;
  whole.copy = static_cast<std::byte*>(memory_.network.compute_parameters) + begin * bytes_.compute;
  model::copy_parameters(collectives_->stream(), options_.arithmetic, plan().layout.units[transfer.unit].size,
                         whole);
}

// Of further micro-batches into the rank's place among the gradients that are not needed any more, from where they are
// added. Gradients that nothing computes are the same in all of them.
void ShardedDeviceStep::reduce(const model::Transfer& transfer, std::size_t micro) const {
  const std::size_t begin = begin_of(plan().schedule.gradient_buffers, transfer.buffer);
  const std::size_t numbers = layout_.share(transfer.unit);
  std::byte* const whole = memory_.unreduced + begin * bytes_.parameter;
  std::byte* const sum = share(memory_.optimizer.gradients, transfer.unit);
  if (micro == 0 || !computes()) return collectives_->reduce(whole, sum, numbers, !computes());
  std::byte* const mine = whole + options_.of_step.rank * numbers * bytes_.parameter;
  collectives_->reduce(whole, mine, numbers, false);
  model::add_numbers(collectives_->stream(), options_.arithmetic, numbers, mine, sum);
}

void ShardedDeviceStep::compute(cudaStream_t stream, const model::Stage& stage, const model::CudaBatch& batch,
                                std::size_t micro) {
  const model::ShardUnit& unit = plan().layout.units[stage.unit];
  if (!computes()) {
    if (stage.backward) {
      model::draw_gradients(stream, inputs_at(layout_.network.gradients), memory_.state,
                            options_.of_step.rank, {unit.first_tensor, unit.end_tensor}, memory_.unreduced);
    }
  } else if (stage.backward) {
    network_->backward(stream, batch, true, nullptr, unit.first_operation, unit.end_operation);
  } else {
    network_->forward(stream, batch, gradient_share(), micro != 0, memory_.loss, unit.first_operation,
                      unit.end_operation);
  }
}

DeviceState ShardedDeviceStep::state(cudaStream_t stream) const {
  DeviceState state{arrays(stream), {}};
  cuda::wait(run_, stream);
  const auto collect = [&](const void*& array) {
    if (array == nullptr) return;
    const cuda::DeviceBuffer<std::byte>& whole =
        state.gathered.emplace_back(device_, layout_.places.size() * bytes_.parameter);
    for (std::size_t unit = 0; unit < plan().layout.units.size(); ++unit) {
      collectives_->gather(share(const_cast<void*>(array), unit),
                           whole.data() + plan().layout.units[unit].offset * bytes_.parameter,
                           layout_.share(unit));
    }
    array = whole.data();
  };
  collect(state.arrays.parameters);
  collect(state.arrays.gradients);
  collect(state.arrays.first_moments);
  collect(state.arrays.second_moments);
  cuda::wait(run_, collectives_->stream());
  return state;
}

}  // namespace assay::plugins::train_step
