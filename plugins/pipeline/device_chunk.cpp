// SPDX-License-Identifier: Apache-2.0
#include "pipeline/device_chunk.hpp"

#include "lib/model/cuda_products.hpp"
#include "lib/model/host_optimizer.hpp"

#include <assay/cuda/error.hpp>

#include <utility>

namespace assay::plugins::pipeline {

model::Model with_whole_offsets(const model::Part& part) {
  model::Model model = part.model;
  for (model::Tensor& tensor : model.tensors) tensor.offset += part.first_parameter;
  return model;
}

model::TensorArrays arrays_of_tensor(const StageMap::Chunk& chunk, const DeviceOptions& options,
                                     const std::byte* memory, std::size_t tensor) {
  const std::size_t offset = chunk.places.offset(tensor) * model::bytes_of(options.arithmetic).parameter;
  const auto at = [&](std::size_t array) { return memory + array + offset; };
  const bool moments = options.optimizer == model::Optimizer::adamw;
  return {at(chunk.parameters), at(chunk.gradients), moments ? at(chunk.first_moments) : nullptr,
          moments ? at(chunk.second_moments) : nullptr};
}

DeviceChunk::DeviceChunk(const cublaslt::Handle& handle, const Layout& layout, const DeviceOptions& options,
                         const StageMap& map, std::uint32_t chunk, std::byte* memory,
                         model::FusedAttention* fused)
    : layout_(layout),
      options_(options),
      map_(map.chunks()[chunk]),
      part_(layout.parts[map_.part]),
      whole_offsets_(with_whole_offsets(part_)) {
  const model::NumberBytes bytes = model::bytes_of(options.arithmetic);
  optimizer_memory_.parameters = memory + map_.parameters;
  optimizer_memory_.gradients = memory + map_.gradients;
  if (options.optimizer == model::Optimizer::adamw) {
    optimizer_memory_.first_moments = memory + map_.first_moments;
    optimizer_memory_.second_moments = memory + map_.second_moments;
  }
  if (bytes.copies_parameters()) optimizer_memory_.copy = memory + map_.copy;
  optimizer_memory_.count = reinterpret_cast<model::StepCount*>(memory + map.step_count());
  if (options.recompute) given_gradient_ = memory + map_.given_gradient;
  for (const std::size_t set : map_.kept) kept_.add(memory + set);
  for (const std::size_t set : map_.received) received_.add(memory + set);
  in_flight_.resize(layout.schedule.micro_batches);

  model::CudaMemory of_network;
  of_network.parameters = optimizer_memory_.parameters;
  of_network.compute_parameters =
      bytes.copies_parameters() ? optimizer_memory_.copy : optimizer_memory_.parameters;
  of_network.gradients = optimizer_memory_.gradients;
  of_network.arena = kept_.next();
  of_network.passing = memory + map.passing();
  of_network.turns = reinterpret_cast<float*>(memory + map.turns());
  of_network.workspace = {memory + map.workspace(), model::device::kWorkspaceBytes};
  network_ = model::make_cuda_network(handle, part_.model, map_.plan, map_.places, options.arithmetic,
                                      of_network, fused);
}

void DeviceChunk::restore(cudaStream_t stream, std::uint64_t seed) {
  model::draw_parameters(stream, inputs(seed), optimizer_memory_.parameters);
  model::copy_parameters(stream, options_.arithmetic, map_.places.size(), optimizer_memory_);
  if (optimizer_memory_.first_moments != nullptr) {
    const std::size_t bytes = map_.places.size() * model::bytes_of(options_.arithmetic).parameter;
    ASSAY_CUDA_CHECK(cudaMemsetAsync(optimizer_memory_.first_moments, 0, bytes, stream));
    ASSAY_CUDA_CHECK(cudaMemsetAsync(optimizer_memory_.second_moments, 0, bytes, stream));
  }
  destroy_gradients(stream);
}

void DeviceChunk::destroy_gradients(cudaStream_t stream) const {
  ASSAY_CUDA_CHECK(cudaMemsetAsync(optimizer_memory_.gradients, 0xFF,
                                   map_.places.size() * model::bytes_of(options_.arithmetic).parameter,
                                   stream));
}

std::byte* DeviceChunk::keep(Flight& flight) {
  if (flight.kept == nullptr) flight.kept = kept_.take();
  return flight.kept;
}

void* DeviceChunk::place_for(std::uint32_t micro) {
  Flight& flight = in_flight_[micro];
  if (options_.recompute) return flight.received = received_.take();
  network_->use(keep(flight));
  return network_->received();
}

// Values that are computed again leave nothing behind.
void DeviceChunk::forward(cudaStream_t stream, std::uint32_t micro, const model::CudaBatch& batch, bool adds,
                          double* loss) {
  Flight& flight = in_flight_[micro];
  network_->use(options_.recompute ? kept_.next() : keep(flight));
  take_received(stream, flight);
  network_->forward(stream, batch, share(), adds, loss);
}

void DeviceChunk::take_received(cudaStream_t stream, const Flight& flight) const {
  if (flight.received == nullptr) return;
  ASSAY_CUDA_CHECK(cudaMemcpyAsync(network_->received(), flight.received, map_.received_bytes,
                                   cudaMemcpyDeviceToDevice, stream));
}

void* DeviceChunk::place_for_gradient(std::uint32_t micro) {
  if (options_.recompute) return given_gradient_;
  network_->use(keep(in_flight_[micro]));
  return network_->given_gradient();
}

void DeviceChunk::backward(cudaStream_t stream, std::uint32_t micro, const model::CudaBatch& batch,
                           double* loss) {
  Flight& flight = in_flight_[micro];
  network_->use(keep(flight));
  if (options_.recompute) {
    take_received(stream, flight);
    network_->forward(stream, batch, share(), false, loss);
    if (!is_last()) {
      ASSAY_CUDA_CHECK(cudaMemcpyAsync(network_->given_gradient(), given_gradient_, map_.result_bytes,
                                       cudaMemcpyDeviceToDevice, stream));
    }
  }
  network_->backward(stream, batch, !std::exchange(gradients_are_written_, true), nullptr);
  kept_.put_back(flight.kept);
  if (flight.received != nullptr) received_.put_back(flight.received);
  flight = {};
}

void DeviceChunk::update(cudaStream_t stream) const {
  if (options_.optimizer == model::Optimizer::sgd) {
    model::update(stream, options_.arithmetic, model::Sgd(), map_.places.size(), optimizer_memory_);
  } else {
    model::update(stream, options_.arithmetic, model::AdamW(), map_.places.size(), optimizer_memory_);
  }
}

model::CudaState DeviceChunk::state(std::uint64_t steps) const {
  model::CudaState state;
  state.arithmetic = options_.arithmetic;
  state.parameters = optimizer_memory_.parameters;
  state.gradients = optimizer_memory_.gradients;
  state.first_moments = optimizer_memory_.first_moments;
  state.second_moments = optimizer_memory_.second_moments;
  state.update =
      options_.optimizer == model::Optimizer::sgd ? model::LastUpdate::sgd : model::LastUpdate::adamw;
  state.steps = steps;
  return state;
}

model::DeviceInputs DeviceChunk::inputs(std::uint64_t seed) const {
  return {&whole_offsets_, &map_.places, options_.arithmetic, seed};
}

}  // namespace assay::plugins::pipeline
