// SPDX-License-Identifier: Apache-2.0
//
// StepInputs on a GPU: what a step starts from is written where it lies.
#pragma once

#include "lib/model/cuda_arithmetic.hpp"
#include "lib/model/model.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/verification.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::plugins::model {

// What a captured step reads of the case, on the device.
struct StepState {
  std::uint64_t seed = 0;
};
void write_state(cudaStream_t stream, const StepState& state, StepState* to);

// Arrays are of TensorPlaces::size() numbers, in the type of parameters.
struct DeviceInputs {
  const Model* model = nullptr;
  const TensorPlaces* places = nullptr;
  Arithmetic arithmetic = Arithmetic::fp32;
  std::uint64_t seed = 0;
};

// Of tensors [first, end).
struct TensorRange {
  std::size_t first = 0, end = 0;
};

// Each queues writing an array, or of it what belongs to some tensors.
void draw_parameters(cudaStream_t stream, const DeviceInputs& inputs, void* parameters);
void draw_parameters(cudaStream_t stream, const DeviceInputs& inputs, TensorRange of, void* parameters);
// Where nothing computes them: those of a rank.
void draw_gradients(cudaStream_t stream, const DeviceInputs& inputs, std::uint32_t rank, void* gradients);
// In a step that may be captured: the seed is read on the device.
void draw_gradients(cudaStream_t stream, const DeviceInputs& inputs, const StepState* state,
                    std::uint32_t rank, TensorRange of, void* gradients);
// Tokens and features [first, first + count) of the job's samples.
void draw_tokens(cudaStream_t stream, const DeviceInputs& inputs, std::size_t first, std::size_t count,
                 std::int32_t* tokens);
// In fp32, and in the type of products.
void draw_features(cudaStream_t stream, const DeviceInputs& inputs, std::size_t first, std::size_t count,
                   float* features);
void draw_rounded_features(cudaStream_t stream, const DeviceInputs& inputs, std::size_t first,
                           std::size_t count, void* features);

// Features that were loaded, in the type of products.
void round_features(cudaStream_t stream, Arithmetic arithmetic, std::size_t count, const float* from,
                    void* features);

// Labels [first, first + count) of the step that *step counts, from 1; 0: of the first one. Seed and step are read on
// the device.
void draw_labels(cudaStream_t stream, const StepState* state, const std::uint64_t* step, std::size_t first,
                 std::size_t count, std::size_t classes, std::int32_t* labels);

// Holds every number against what draw_…() writes, bit for bit. Waits for the stream.
void check_parameters(const Case& run, const cuda::Device& device, cudaStream_t stream,
                      const DeviceInputs& inputs, const void* parameters, Verification& seen);
// Gradients that draw_gradients() wrote, averaged over `ranks` ranks from `rank` on: exactly where they are one, two, four
// or eight, else with the rounding of averages of averages. `halves`: they were averaged in fp16, exactly up to four ranks.
void check_gradients(const Case& run, const cuda::Device& device, cudaStream_t stream,
                     const DeviceInputs& inputs, std::uint32_t rank, std::uint32_t ranks,
                     const void* gradients, Verification& seen, bool halves = false);

}  // namespace assay::plugins::model
