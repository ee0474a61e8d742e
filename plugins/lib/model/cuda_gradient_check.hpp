// SPDX-License-Identifier: Apache-2.0
//
// gradient_check.hpp on a GPU, where gradients and parameters lie: nothing of the size of a model goes to the host.
#pragma once

#include "lib/model/cuda_arithmetic.hpp"
#include "lib/model/cuda_reference.hpp"
#include "lib/model/gradient_check.hpp"
#include "lib/model/host_optimizer.hpp"
#include "lib/model/model.hpp"

#include <assay/cuda/device.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <vector>

namespace assay::plugins::model {

// What a step left on the device, in the type of parameters and at TensorPlaces. Before it parameters were others: by
// which update they came about.
enum class LastUpdate { none, sgd, adamw };
struct CudaState {
  Arithmetic arithmetic = Arithmetic::fp32;
  const void *parameters = nullptr, *gradients = nullptr, *first_moments = nullptr, *second_moments = nullptr;
  const void* remainder = nullptr;  // what gradients lack, and the next step takes; null: nothing
  LastUpdate update = LastUpdate::none;
  std::uint64_t steps = 0;
};

// Of what a tensor's gradient has, and of its remainder, the sums of their products and of their squares. Waits for the
// stream.
struct RemainderSums {
  double product = 0, taken = 0, left = 0;
};
std::vector<RemainderSums> remainder_sums(const cuda::Device& device, cudaStream_t stream, const Model& model,
                                          const TensorPlaces& places, const CudaState& state);

// The root of the mean square of what the gradient and differences of the loss say apart, over directions. No number
// where one of them is none.
double rms_difference(const std::vector<Slope>& found);
// How large it may be, and over how many directions: with types of fewer bits, whose errors are seen along each, over
// more of them, so that a wrong tensor among dozens is found all the same.
double slope_tolerance(Arithmetic arithmetic);
int slope_directions(Arithmetic arithmetic);

// The mean loss over all that the gradient is of, with these parameters.
using DeviceLossOf = std::function<double(const DeviceParametersOf&)>;

// Where the numbers of one tensor lie that CudaState has of all of them; moments are null where there are none.
struct TensorArrays {
  const void *parameters = nullptr, *gradients = nullptr, *first_moments = nullptr, *second_moments = nullptr;
  const void* remainder = nullptr;
};
using TensorArraysOf = std::function<TensorArrays(std::size_t tensor)>;

// As slopes() on the host, with the same directions for the same seed, but one loss for each of them and one for all.
// Waits for the stream.
std::vector<Slope> slopes(const cuda::Device& device, cudaStream_t stream, const Model& model,
                          const TensorPlaces& places, const CudaState& state, const DeviceLossOf& loss,
                          int directions, std::uint64_t seed, ElementError rounding = {});
// The same of tensors that lie apart, on this device or on others that it reaches: of `state` type, update and steps
// count alone.
std::vector<Slope> slopes(const cuda::Device& device, cudaStream_t stream, const Model& model,
                          const TensorArraysOf& arrays, const CudaState& state, const DeviceLossOf& loss,
                          int directions, std::uint64_t seed, ElementError rounding = {});

}  // namespace assay::plugins::model
