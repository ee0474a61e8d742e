// SPDX-License-Identifier: Apache-2.0
//
// One training step of one rank's GPU: forward and backward over micro-batches, the sum of gradients over ranks, the
// optimiser's update. Everything that a step touches lies in one piece of memory, of the size that bytes_of_step() says.
#pragma once

#include "lib/cublaslt.hpp"
#include "lib/host_cost.hpp"
#include "lib/model/cuda_gradient_check.hpp"
#include "lib/model/cuda_inputs.hpp"
#include "lib/model/cuda_network.hpp"
#include "lib/model/cuda_optimizer.hpp"
#include "lib/model/model.hpp"
#include "train_step/collectives.hpp"
#include "train_step/device_layout.hpp"
#include "train_step/device_transfers.hpp"
#include "train_step/gradient_sums.hpp"
#include "train_step/low_rank_sums.hpp"
#include "train_step/phase_times.hpp"
#include "train_step/sample_feed.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace assay::plugins::train_step {

// What the last step left, of all parameters and at places(): on the rank itself, or gathered.
struct DeviceState {
  model::CudaState arrays;
  std::vector<cuda::DeviceBuffer<std::byte>> gathered;
};

// One at a time; all calls from one thread, with the same stream. Arguments outlive it. Has all parameters, or is a
// ShardedDeviceStep.
class DeviceStep {
 public:
  // `ranks` are looked at where gradients are averaged over them: then every rank makes one.
  DeviceStep(const Case& run, const cuda::Device& device, const cublaslt::Handle& handle,
             const model::Model& model, const DeviceStepOptions& options, const CollectiveRanks& ranks);
  DeviceStep(const DeviceStep&) = delete;  // kernels hold addresses in its memory
  DeviceStep& operator=(const DeviceStep&) = delete;
  virtual ~DeviceStep();

  // Queues: parameters, samples and the optimiser's state are as the seed says. Gradients are not numbers; where nothing
  // computes them they are those of the inputs.
  void restore(cudaStream_t stream, std::uint64_t seed);
  // Queues: gradients are as restore() leaves them.
  virtual void destroy_gradients(cudaStream_t stream) const;

  // This many steps follow: their samples are loaded ahead of them. Throws what loading threw before, or throws.
  void begin(std::uint64_t steps);
  // Throws what loading threw in steps that are done.
  void throw_what_loading_threw() const;
  // For how long a step waited for its samples, of those since begin(), once they are done.
  double waited_for_samples_s() const { return feed_ ? feed_->waited_s() : 0; }

  // Queues one step. May be captured, once one was queued.
  void enqueue(cudaStream_t stream);

  // Of the last step that was queued, once it is done.
  PhaseSeconds seconds() const;
  // By a clock that was 0 when it began, and where that clock stands at an event.
  std::vector<PhaseSpan> spans() const;
  std::int64_t clock_ns(const cuda::Event& at) const { return nanoseconds_between(events_.front(), at); }
  double loss(cudaStream_t stream) const;
  std::uint64_t steps(cudaStream_t stream) const;  // since restore()

  // Waits for the stream; of ranks that have shares all call it. The step number is read from the device. Throws
  // Cancelled.
  virtual DeviceState state(cudaStream_t stream) const;

  const model::Model& model() const { return model_; }
  const model::TensorPlaces& places() const { return layout_.places; }
  const DeviceStepOptions& options() const { return options_; }
  const model::StepState* inputs_state() const { return memory_.state; }
  const std::uint64_t* step_number() const { return &memory_.optimizer.count->step; }
  // All of them in the type of products, at places(); null where types are one, and where parameters are in shares.
  const void* copied_parameters() const { return memory_.optimizer.copy; }
  model::device::Workspace workspace() const { return memory_.network.workspace; }
  model::DeviceInputs inputs() const { return inputs_at(layout_.places); }
  bool computes() const { return options_.computes(); }
  bool updates() const { return options_.of_step.without != Without::optimizer; }
  // Pieces that are averaged one by one.
  virtual std::size_t buckets() const { return sums_ ? sums_->buckets() : 0; }
  // That a rank sends in a step at least.
  double sent_bytes() const { return train_step::sent_bytes(model_, options_); }

 protected:
  // Queues a micro-batch.
  virtual void pass(cudaStream_t stream, std::size_t micro);
  // Queues the end of a step, behind all passes: the update of what the rank has.
  virtual void finish(cudaStream_t stream);
  // Queues: parameters are as the seed says.
  virtual void draw_parameters(cudaStream_t stream) const;

  // What lies before here in the step, up to the last mark, is that phase.
  void mark(cudaStream_t stream, Phase phase);
  // Queues the labels of a micro-batch, and its samples where they do not lie there already.
  model::CudaBatch batch(cudaStream_t stream, std::size_t micro);
  // Of a micro-batch's gradients in those that the optimiser takes.
  double gradient_share() const;
  model::DeviceInputs inputs_at(const model::TensorPlaces& places) const {
    return {&model_, &places, options_.arithmetic, seed_};
  }
  model::CudaState arrays(cudaStream_t stream) const;
  // Queues the optimiser's update of `size` parameters, which lie there.
  void update(cudaStream_t stream, std::size_t size, const model::OptimizerMemory& at) const;

  const Case& run_;
  const cuda::Device& device_;
  const model::Model& model_;
  const DeviceStepOptions options_;
  const model::NumberBytes bytes_;
  const DeviceLayout layout_;

 private:
  const model::CudaPlan plan_;
  // Before what is freed when the device has done all that uses these two; none where samples lie ready.
  const cuda::PinnedBuffer<std::byte> delivered_;
  std::unique_ptr<SampleFeed> feed_;
  const cuda::DeviceBuffer<std::byte> buffer_;

 protected:
  const DeviceStepMemory memory_;
  std::unique_ptr<model::CudaNetwork> network_;  // none where nothing is computed
  std::unique_ptr<Collectives> collectives_;     // these two: where ranks average
  std::unique_ptr<DeviceTransfers> transfers_;

 private:
  void draw_samples(cudaStream_t stream) const;
  void load(cudaStream_t stream);

  std::unique_ptr<LowRankSums> low_rank_;  // where matrices of few columns are summed in place of gradients
  std::optional<GradientSums> sums_;       // where ranks have all parameters
  std::vector<Phase> phases_;
  std::deque<cuda::Event> events_;  // the beginning, then the end of each phase
  const HostCost host_cost_;
  std::uint64_t seed_ = 0;
};

// By what the options say.
std::unique_ptr<DeviceStep> make_device_step(const Case& run, const cuda::Device& device,
                                             const cublaslt::Handle& handle, const model::Model& model,
                                             const DeviceStepOptions& options, const CollectiveRanks& ranks);

}  // namespace assay::plugins::train_step
