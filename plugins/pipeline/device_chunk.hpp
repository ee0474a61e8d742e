// SPDX-License-Identifier: Apache-2.0
//
// One part of the model on its stage's GPU: its parameters, the memory of its micro-batches in flight, and its passes,
// which are queued.
#pragma once

#include "lib/cublaslt.hpp"
#include "lib/model/cuda_gradient_check.hpp"
#include "lib/model/cuda_inputs.hpp"
#include "lib/model/cuda_network.hpp"
#include "lib/model/cuda_optimizer.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/sets.hpp"
#include "pipeline/stage_map.hpp"

#include <assay/verification.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <vector>

namespace assay::plugins::pipeline {

// The part with its tensors' numbers in the whole model, from which inputs are drawn.
model::Model with_whole_offsets(const model::Part& part);

// Where the arrays of one tensor of a part lie in its stage's memory.
model::TensorArrays arrays_of_tensor(const StageMap::Chunk& chunk, const DeviceOptions& options,
                                     const std::byte* memory, std::size_t tensor);

// All calls from one thread; arguments outlive it. Passes of a micro-batch come in the schedule's order.
class DeviceChunk {
 public:
  DeviceChunk(const cublaslt::Handle& handle, const Layout& layout, const DeviceOptions& options,
              const StageMap& map, std::uint32_t chunk, std::byte* memory, model::FusedAttention* fused);
  DeviceChunk(const DeviceChunk&) = delete;  // kernels hold addresses in its memory
  DeviceChunk& operator=(const DeviceChunk&) = delete;

  bool is_first() const { return map_.part == 0; }
  bool is_last() const { return part_.model.has_loss(); }

  // Each queues. Parameters and the optimiser's state are as the seed says; gradients are not numbers.
  void restore(cudaStream_t stream, std::uint64_t seed);
  void destroy_gradients(cudaStream_t stream) const;

  // The first gradients of a step are written, the others added to them.
  void begin_step() { gradients_are_written_ = false; }

  // Where the activations go that a micro-batch brings; then its forward pass. The last part adds the share of the loss
  // that a micro-batch has to *loss.
  void* place_for(std::uint32_t micro);
  void forward(cudaStream_t stream, std::uint32_t micro, const model::CudaBatch& batch, bool adds,
               double* loss);
  const void* result() const { return network_->result(); }

  // Where the gradient goes that a micro-batch brings back; then its backward pass.
  void* place_for_gradient(std::uint32_t micro);
  void backward(cudaStream_t stream, std::uint32_t micro, const model::CudaBatch& batch, double* loss);
  const void* received_gradient() const { return network_->received_gradient(); }

  void update(cudaStream_t stream) const;

  // What the last step left, after this many updates.
  model::CudaState state(std::uint64_t steps) const;
  model::DeviceInputs inputs(std::uint64_t seed) const;

 private:
  struct Flight {
    std::byte *kept = nullptr, *received = nullptr;
  };

  std::byte* keep(Flight& flight);
  void take_received(cudaStream_t stream, const Flight& flight) const;
  double share() const { return 1 / static_cast<double>(layout_.schedule.micro_batches); }

  const Layout& layout_;
  const DeviceOptions& options_;
  const StageMap::Chunk& map_;
  const model::Part& part_;
  const model::Model whole_offsets_;
  model::OptimizerMemory optimizer_memory_;
  std::byte* given_gradient_ = nullptr;
  Sets<std::byte> kept_, received_;
  std::vector<Flight> in_flight_;  // of each micro-batch
  std::unique_ptr<model::CudaNetwork> network_;
  bool gradients_are_written_ = false;
};

}  // namespace assay::plugins::pipeline
