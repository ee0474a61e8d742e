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
#include "train_step/gradient_sums.hpp"
#include "train_step/phase_times.hpp"
#include "train_step/step_memory.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>
#include <vector>

namespace assay::plugins::train_step {

struct DeviceStepOptions {
  StepOptions of_step;
  bool averages = false;  // over ranks
  model::Arithmetic arithmetic = model::Arithmetic::fp32;
  double host_cost = 0;                    // seconds, before each operation that is queued
  model::FusedAttention* fused = nullptr;  // null: attention is unfused
};

// Bytes of device memory, by what lies there.
struct StepBytes {
  std::uint64_t parameters = 0, gradients = 0, state = 0, copy = 0;
  std::uint64_t values = 0;     // what the forward pass keeps, and gradients of values that live at once
  std::uint64_t workspace = 0;  // of the library's products
  std::uint64_t inputs = 0;     // samples, labels, cosines and sines of positions

  // The driver gives memory in pieces of 2 MiB.
  std::uint64_t total() const;
  std::string formula() const;
};
StepBytes bytes_of_step(const model::Model& model, const DeviceStepOptions& options);

// One at a time; all calls from one thread, with the same stream. Arguments outlive it.
class DeviceStep {
 public:
  // `ranks` are looked at where gradients are averaged over them: then every rank makes one.
  DeviceStep(const Case& run, const cuda::Device& device, const cublaslt::Handle& handle,
             const model::Model& model, const DeviceStepOptions& options, const SumRanks& ranks);
  DeviceStep(const DeviceStep&) = delete;  // kernels hold addresses in its memory
  DeviceStep& operator=(const DeviceStep&) = delete;

  // Queues: parameters, samples and the optimiser's state are as the seed says. Gradients are not numbers; where nothing
  // computes them they are those of the inputs.
  void restore(cudaStream_t stream, std::uint64_t seed);
  // Queues: gradients are as restore() leaves them.
  void destroy_gradients(cudaStream_t stream) const;

  // Queues one step. May be captured.
  void enqueue(cudaStream_t stream);

  // Of the last step that was queued, once it is done.
  PhaseSeconds seconds() const;
  // By a clock that was 0 when it began, and where that clock stands at an event.
  std::vector<PhaseSpan> spans() const;
  std::int64_t clock_ns(const cuda::Event& at) const { return nanoseconds_between(events_.front(), at); }
  double loss(cudaStream_t stream) const;
  std::uint64_t steps(cudaStream_t stream) const;  // since restore()

  // What the last step left. The step number is read from the device.
  model::CudaState state(cudaStream_t stream) const;

  const model::Model& model() const { return model_; }
  const model::TensorPlaces& places() const { return places_; }
  const DeviceStepOptions& options() const { return options_; }
  const model::AdamW& adamw() const { return adamw_; }
  const model::Sgd& sgd() const { return sgd_; }
  const model::StepState* inputs_state() const { return state_; }
  const std::uint64_t* step_number() const { return &count_->step; }
  model::device::Workspace workspace() const { return workspace_; }
  model::DeviceInputs inputs() const { return {&model_, &places_, options_.arithmetic, seed_}; }
  bool computes() const { return options_.of_step.without != Without::compute; }
  bool updates() const { return options_.of_step.without != Without::optimizer; }
  std::size_t buckets() const { return sums_ ? sums_->buckets() : 0; }
  // That a rank sends in a step at least.
  double sent_bytes() const;

 private:
  // Of a micro-batch's gradients in those that the optimiser takes.
  double gradient_share() const;
  void place_memory();
  void draw_samples(cudaStream_t stream) const;
  void compute(cudaStream_t stream);
  void update(cudaStream_t stream) const;

  const Case& run_;
  const model::Model& model_;
  const DeviceStepOptions options_;
  const model::NumberBytes bytes_;
  const model::TensorPlaces places_;
  const model::CudaPlan plan_;
  cuda::DeviceBuffer<std::byte> memory_;
  model::CudaMemory network_memory_;
  model::OptimizerMemory optimizer_memory_;
  model::device::Workspace workspace_;
  std::int32_t *tokens_ = nullptr, *labels_ = nullptr;
  std::byte* features_ = nullptr;
  model::StepCount* count_ = nullptr;
  model::StepState* state_ = nullptr;
  double* loss_ = nullptr;
  std::unique_ptr<model::CudaNetwork> network_;  // none where nothing is computed
  std::vector<Phase> phases_;
  std::vector<cuda::Event> events_;  // the beginning, then the end of each phase
  const model::Sgd sgd_;
  const model::AdamW adamw_;
  const HostCost host_cost_;
  std::uint64_t seed_ = 0;
  std::unique_ptr<GradientSums> sums_;  // last: it ends what uses the memory
};

}  // namespace assay::plugins::train_step
