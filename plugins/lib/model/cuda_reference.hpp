// SPDX-License-Identifier: Apache-2.0
//
// The loss of a model in double precision on a GPU, as reference_loss.hpp has it on the host: written on its own, it
// shares the description of the model with what is measured, and no memory, order, type or kernel.
#pragma once

#include "lib/cublaslt.hpp"
#include "lib/model/cuda_products.hpp"
#include "lib/model/model.hpp"
#include "lib/model/reference_loss.hpp"

#include <assay/cuda/device.hpp>
#include <assay/cuda/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <optional>
#include <vector>

namespace assay::plugins::model {

// Queues writing all elements of a tensor.
using DeviceParametersOf = std::function<void(cudaStream_t, std::size_t tensor, double* out)>;

// Of a micro-batch, on the device.
struct ReferenceBatch {
  const std::int32_t* tokens = nullptr;
  const float* features = nullptr;
  const std::int32_t* labels = nullptr;
};

class CudaReference {
 public:
  // Of the device that `handle` belongs to. Allocates bytes(). `model` outlives it.
  CudaReference(const cublaslt::Handle& handle, const cuda::Device& device, const Model& model,
                std::size_t samples, device::Workspace workspace);

  // Device memory that it takes.
  static std::uint64_t bytes(const Model& model, std::size_t samples);

  // The mean loss of the micro-batch. Waits for the stream now and then; `interruption` is asked as often.
  double loss(cudaStream_t stream, const ReferenceBatch& batch, const DeviceParametersOf& parameters,
              const Interruption& interruption = nullptr) const;

 private:
  // Elements of the array, by operation.
  struct Layout {
    std::vector<std::size_t> value, parameters, scores;
    std::size_t size = 0;
  };
  static Layout layout_of(const Model& model, std::size_t samples);

  void run(cudaStream_t stream, std::size_t i, const ReferenceBatch& batch,
           const DeviceParametersOf& parameters) const;
  void attention(cudaStream_t stream, std::size_t i) const;
  double* at(std::size_t place) const { return array_.data() + place; }
  double* value(int i) const { return at(layout_.value[static_cast<std::size_t>(i)]); }

  const Model& model_;
  const std::size_t samples_;
  const Layout layout_;
  cuda::DeviceBuffer<double> array_;
  std::vector<std::optional<device::ReadyProduct>> linears_;
  std::optional<device::ReadyProduct> scores_,
      mixed_;  // of attention: queries with keys, probabilities with values
};

}  // namespace assay::plugins::model
