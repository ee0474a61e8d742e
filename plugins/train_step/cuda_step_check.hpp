// SPDX-License-Identifier: Apache-2.0
//
// Is what the last step on a GPU left right? As StepCheck asks it on the host: gradients against differences of the
// loss in double precision, on inputs that are drawn anew, at the parameters from before the update; updates against
// their formula; ranks that average against each other. It is computed on the GPU, and needs bytes() beside the step.
#pragma once

#include "lib/cublaslt.hpp"
#include "lib/model/cuda_reference.hpp"
#include "train_step/cuda_step.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/group.hpp>
#include <assay/verification.hpp>

#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::plugins::train_step {

class DeviceStepCheck {
 public:
  // Arguments outlive it. Where ranks average all of them check.
  DeviceStepCheck(const Case& run, const Group& group, const cuda::Device& device,
                  const cublaslt::Handle& handle, const DeviceStep& step)
      : run_(run), group_(group), device_(device), handle_(handle), step_(step) {}

  static std::uint64_t bytes(const model::Model& model, const DeviceStepOptions& options);

  // Waits for the stream. Throws Cancelled.
  void check(cudaStream_t stream, Verification& seen) const;

 private:
  void check_slopes(cudaStream_t stream, const model::CudaState& state, Verification& seen) const;
  void check_ranks(cudaStream_t stream, const model::CudaState& state, Verification& seen) const;
  // What a matrix of few columns takes of a gradient and what it leaves are orthogonal, on every tensor.
  void check_remainder(cudaStream_t stream, const model::CudaState& state, Verification& seen) const;
  void check_copy(cudaStream_t stream, const model::CudaState& state, Verification& seen) const;
  double mean_over_ranks(double mine) const;

  const Case& run_;
  const Group& group_;
  const cuda::Device& device_;
  const cublaslt::Handle& handle_;
  const DeviceStep& step_;
};

}  // namespace assay::plugins::train_step
