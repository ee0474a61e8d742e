// SPDX-License-Identifier: Apache-2.0
//
// The optimisers of host_optimizer.hpp on a GPU, fused: one pass over parameters, gradients and state. The number of
// the step is on the device, so that a step that was captured once counts on.
#pragma once

#include "lib/model/cuda_arithmetic.hpp"
#include "lib/model/host_optimizer.hpp"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::plugins::model {

// On the device.
struct StepCount {
  std::uint64_t step = 0;      // that has begun, counted from 1; 0: none yet
  float rate = 0, second = 0;  // AdamW::Corrections of it
};

// Arrays on the device, of TensorPlaces::size() numbers of the type of parameters; `copy` of that of products, null
// where types are one.
struct OptimizerMemory {
  void *parameters = nullptr, *gradients = nullptr, *first_moments = nullptr, *second_moments = nullptr;
  void* copy = nullptr;
  StepCount* count = nullptr;
};

// Each queues one kernel.
void begin_step(cudaStream_t stream, const AdamW& adamw, StepCount* count);
void update(cudaStream_t stream, Arithmetic arithmetic, const AdamW& adamw, std::size_t size,
            const OptimizerMemory& memory);
void update(cudaStream_t stream, Arithmetic arithmetic, const Sgd& sgd, std::size_t size,
            const OptimizerMemory& memory);
// Adds numbers of the type of parameters to others. `size` is a multiple of 8.
void add_numbers(cudaStream_t stream, Arithmetic arithmetic, std::size_t size, const void* from, void* to);
// Rounds parameters into the copy, where there is one.
void copy_parameters(cudaStream_t stream, Arithmetic arithmetic, std::size_t size,
                     const OptimizerMemory& memory);
// The other way: parameters become what the copy has.
void widen_copy(cudaStream_t stream, Arithmetic arithmetic, std::size_t size, const OptimizerMemory& memory);

}  // namespace assay::plugins::model
