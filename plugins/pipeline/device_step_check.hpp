// SPDX-License-Identifier: Apache-2.0
//
// Is what the last step left on the GPUs right? As StepCheck asks it on the host: what passed the stages is held to the
// schedule; the gradients of all stages together, read where they lie, to differences of the whole model's loss in
// double precision; updates to their formula.
#pragma once

#include "lib/cublaslt.hpp"
#include "pipeline/device_stage.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/stage_map.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/group.hpp>
#include <assay/verification.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <vector>

namespace assay::plugins::pipeline {

class DeviceStepCheck {
 public:
  // What it looks at; arguments outlive it.
  struct Seen {
    const Case& run;
    const Group& group;
    const cuda::Device& device;
    const cublaslt::Handle& handle;
    const Layout& layout;
    const DeviceOptions& options;
    const std::vector<StageMap>& maps;
    const std::vector<std::byte*>& memories;                  // of each stage
    const std::vector<std::unique_ptr<DeviceStage>>& stages;  // of this rank
  };
  explicit DeviceStepCheck(const Seen& seen) : of_(seen) {}

  // Device memory that it takes beside the stages, on each rank.
  static std::uint64_t bytes(const Layout& layout);

  // `loss` is what the step said of itself. All ranks call it; waits for the stream. Throws Cancelled.
  void check(cudaStream_t stream, double loss, Verification& seen) const;

 private:
  double mean_over_ranks(double sum) const;
  void check_gradients(cudaStream_t stream, double loss, Verification& seen) const;
  void check_updates(cudaStream_t stream, Verification& seen) const;

  const Seen of_;
};

}  // namespace assay::plugins::pipeline
