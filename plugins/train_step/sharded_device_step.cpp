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
  if (!layout_.shards_parameters()) return DeviceStep::draw_parameters(stream);
  for (const model::Stage& stage : plan().schedule.stages) {
    if (stage.backward) break;
    const model::ShardUnit& unit = plan().layout.units[stage.unit];
    model::draw_parameters(stream, inputs_at(layout_.network.forward), {unit.first_tensor, unit.end_tensor},
                           memory_.gathered);
    const std::size_t numbers = layout_.share(stage.unit);
    const std::size_t from =
        begin_of(plan().schedule.parameter_buffers, stage.parameters) + options_.of_step.rank * numbers;
    ASSAY_CUDA_CHECK(cudaMemcpyAsync(parameters(stage.unit), memory_.gathered + from * bytes_.parameter,
                                     numbers * bytes_.parameter, cudaMemcpyDeviceToDevice, stream));
  }
}

// What was gathered is not there any more either.
void ShardedDeviceStep::destroy_gradients(cudaStream_t stream) const {
  if (!layout_.shards_gradients()) return DeviceStep::destroy_gradients(stream);
  const auto destroy = [&](void* array, std::size_t numbers) {
    ASSAY_CUDA_CHECK(cudaMemsetAsync(array, 0xFF, numbers * bytes_.parameter, stream));
  };
  destroy(memory_.optimizer.gradients, layout_.gradients());
  destroy(memory_.gathered, layout_.gathered());
  destroy(memory_.unreduced, layout_.unreduced());
  if (layout_.shards_parameters() && bytes_.copies_parameters())
    ASSAY_CUDA_CHECK(cudaMemsetAsync(memory_.network.compute_parameters, 0xFF,
                                     layout_.gathered() * bytes_.compute, stream));
}

void ShardedDeviceStep::pass(cudaStream_t stream, std::size_t micro) {
  const model::CudaBatch batch = computes() ? this->batch(stream, micro) : model::CudaBatch();
  // Gradients that are whole are reduced once, with those of all micro-batches in them.
  const bool moves = layout_.shards_gradients() || micro + 1 == options_.of_step.accumulation;
  next_ = 0;
  before_ = transfers_->count();
  if (moves) allow(stream, 0, micro);
  const std::vector<model::Stage>& stages = plan().schedule.stages;
  // Whether a stage can have waited.
  const auto waits = [&](const model::Stage& stage) {
    return moves && (stage.transfers != 0 || !options_.of_step.shards.overlap);
  };
  for (std::size_t at = 0; at < stages.size(); ++at) {
    const model::Stage& stage = stages[at];
    if (moves && stage.transfers != 0) transfers_->wait(stream, before_ + stage.transfers);
    if (waits(stage)) mark(stream, Phase::exposed);
    compute(stream, stage, batch, micro);
    const bool goes_on =
        at + 1 < stages.size() && stages[at + 1].backward == stage.backward && !waits(stages[at + 1]);
    if (!goes_on) mark(stream, stage.backward ? Phase::backward : Phase::forward);
    if (moves) allow(stream, at + 1, micro);
  }
  if (!moves) return;
  transfers_->wait(stream, transfers_->count());
  mark(stream, Phase::exposed);
}

void ShardedDeviceStep::finish(cudaStream_t stream) {
  if (!layout_.shards_parameters()) return update_and_gather(stream);
  if (updates()) update(stream, layout_.parameters(), memory_.optimizer);
  mark(stream, Phase::optimizer);
}

void ShardedDeviceStep::update_and_gather(cudaStream_t stream) {
  const bool overlaps = options_.of_step.shards.overlap;
  for (std::size_t unit = 0; unit < plan().layout.units.size(); ++unit) {
    if (updates()) {
      model::OptimizerMemory mine = memory_.optimizer;
      mine.parameters = parameters(unit);
      mine.gradients = gradients(unit);
      if (mine.first_moments != nullptr) {
        mine.first_moments = at(mine.first_moments, layout_.state_of(unit));
        mine.second_moments = at(mine.second_moments, layout_.state_of(unit));
      }
      mine.copy = nullptr;  // the whole unit's is made of what was gathered
      update(stream, layout_.share(unit), mine);
    }
    if (!overlaps) mark(stream, Phase::optimizer);
    transfers_->add(stream, Phase::gather, [&] { gather({false, unit, 0, 0}); });
    if (!overlaps) mark(stream, Phase::exposed);
  }
  if (!overlaps) return;
  mark(stream, Phase::optimizer);
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

// Into its buffer, or to its place where the rank has all parameters. What is there for a pass only is gathered in the
// type of products, as each rank rounded its share of it, and widened for norms and embeddings.
void ShardedDeviceStep::gather(const model::Transfer& transfer) const {
  const bool in_buffer = layout_.shards_parameters();
  const std::size_t begin = in_buffer ? begin_of(plan().schedule.parameter_buffers, transfer.buffer)
                                      : plan().layout.units[transfer.unit].offset;
  model::OptimizerMemory whole;
  whole.parameters = at(in_buffer ? memory_.gathered : memory_.optimizer.parameters, begin);
  const std::size_t share = layout_.share(transfer.unit), all = plan().layout.units[transfer.unit].size;
  if (!bytes_.copies_parameters())
    return collectives_->gather(parameters(transfer.unit), whole.parameters, share);
  std::byte* const copy =
      static_cast<std::byte*>(memory_.network.compute_parameters) + begin * bytes_.compute;
  whole.copy = copy;
  if (!in_buffer) {
    collectives_->gather(parameters(transfer.unit), whole.parameters, share);
    return model::copy_parameters(collectives_->stream(), options_.arithmetic, all, whole);
  }
  model::OptimizerMemory mine;
  mine.parameters = parameters(transfer.unit);
  mine.copy = copy + options_.of_step.rank * share * bytes_.compute;
  model::copy_parameters(collectives_->stream(), options_.arithmetic, share, mine);
  collectives_->gather_bf16(mine.copy, copy, share);
  model::widen_copy(collectives_->stream(), options_.arithmetic, all, whole);
}

// Gradients that are whole are reduced where they are. Of shares, those of further micro-batches are reduced into the
// rank's place among the gradients that are not needed any more, from where they are added. Gradients that nothing
// computes are the same in all of them.
void ShardedDeviceStep::reduce(const model::Transfer& transfer, std::size_t micro) const {
  const std::size_t numbers = layout_.share(transfer.unit);
  std::byte* const sum = gradients(transfer.unit);
  if (!layout_.shards_gradients()) {
    std::byte* const whole = at(memory_.optimizer.gradients, plan().layout.units[transfer.unit].offset);
    return collectives_->reduce(whole, sum, numbers, !computes());
  }
  std::byte* const whole = at(memory_.unreduced, begin_of(plan().schedule.gradient_buffers, transfer.buffer));
  if (micro == 0 || !computes()) return collectives_->reduce(whole, sum, numbers, !computes());
  std::byte* const mine = at(whole, options_.of_step.rank * numbers);
  collectives_->reduce(whole, mine, numbers, false);
  model::add_numbers(collectives_->stream(), options_.arithmetic, numbers, mine, sum);
}

void ShardedDeviceStep::compute(cudaStream_t stream, const model::Stage& stage, const model::CudaBatch& batch,
                                std::size_t micro) {
  const model::ShardUnit& unit = plan().layout.units[stage.unit];
  if (!computes()) {
    if (stage.backward) {
      model::draw_gradients(stream, inputs_at(layout_.network.gradients), memory_.state,
                            options_.of_step.rank, {unit.first_tensor, unit.end_tensor},
                            memory_.network.gradients);
    }
  } else if (stage.backward) {
    network_->backward(stream, batch, micro == 0 || layout_.shards_gradients(), nullptr, unit.first_operation,
                       unit.end_operation);
  } else {
    network_->forward(stream, batch, gradient_share(), micro != 0, memory_.loss, unit.first_operation,
                      unit.end_operation);
  }
}

DeviceState ShardedDeviceStep::state(cudaStream_t stream) const {
  DeviceState state{arrays(stream), {}};
  cuda::wait(run_, stream);
  const auto collect = [&](const void*& array, const auto& share_of) {
    if (array == nullptr) return;
    const cuda::DeviceBuffer<std::byte>& whole =
        state.gathered.emplace_back(device_, layout_.places.size() * bytes_.parameter);
    for (std::size_t unit = 0; unit < plan().layout.units.size(); ++unit) {
      collectives_->gather(share_of(unit), at(whole.data(), plan().layout.units[unit].offset),
                           layout_.share(unit));
    }
    array = whole.data();
  };
  const auto of_state = [&](void* array) {
    return [this, array](std::size_t unit) { return at(array, layout_.state_of(unit)); };
  };
  // Parameters that are whole are looked at where they are: what was gathered may be wrong.
  if (layout_.shards_parameters())
    collect(state.arrays.parameters, [this](std::size_t unit) { return parameters(unit); });
  collect(state.arrays.gradients, [this](std::size_t unit) { return gradients(unit); });
  collect(state.arrays.first_moments, of_state(memory_.optimizer.first_moments));
  collect(state.arrays.second_moments, of_state(memory_.optimizer.second_moments));
  cuda::wait(run_, collectives_->stream());
  return state;
}

}  // namespace assay::plugins::train_step
