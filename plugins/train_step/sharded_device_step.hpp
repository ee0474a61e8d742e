// SPDX-License-Identifier: Apache-2.0
//
// One training step of a rank whose GPU has a share of each unit of the model: of the optimiser's numbers, of gradients, of
// parameters. A unit that is not whole is gathered for as long as a pass uses it; gradients are reduced to the share that
// the rank updates, and parameters that are whole are gathered behind their update.
#pragma once

#include "train_step/cuda_step.hpp"

#include <cstddef>
#include <cuda_runtime_api.h>
#include <vector>

namespace assay::plugins::train_step {

class ShardedDeviceStep final : public DeviceStep {
 public:
  using DeviceStep::DeviceStep;

  void destroy_gradients(cudaStream_t stream) const override;
  DeviceState state(cudaStream_t stream) const override;
  std::size_t buckets() const override { return plan().layout.units.size(); }

 private:
  void pass(cudaStream_t stream, std::size_t micro) override;
  void finish(cudaStream_t stream) override;
  void draw_parameters(cudaStream_t stream) const override;

  const ShardPlan& plan() const { return *layout_.shards; }
  // Queues the transfers of a micro-batch that may begin once so many stages are through.
  void allow(cudaStream_t stream, std::size_t stages, std::size_t micro);
  void gather(const model::Transfer& transfer) const;
  void reduce(const model::Transfer& transfer, std::size_t micro) const;
  void compute(cudaStream_t stream, const model::Stage& stage, const model::CudaBatch& batch,
               std::size_t micro);
  // Each unit's share, behind which its parameters are gathered.
  void update_and_gather(cudaStream_t stream);
  // Where a buffer begins, in elements of all of them.
  static std::size_t begin_of(const std::vector<std::size_t>& buffers, std::size_t number);
  std::byte* at(void* array, std::size_t element) const {
    return static_cast<std::byte*>(array) + element * bytes_.parameter;
  }
  // The rank's share of a unit.
  std::byte* parameters(std::size_t unit) const {
    return at(memory_.optimizer.parameters, layout_.parameters_of(unit, options_.of_step.rank));
  }
  std::byte* gradients(std::size_t unit) const {
    return at(memory_.optimizer.gradients, layout_.gradients_of(unit, options_.of_step.rank));
  }

  std::size_t next_ = 0;    // transfer of this micro-batch
  std::size_t before_ = 0;  // transfers of micro-batches before it
};

}  // namespace assay::plugins::train_step
