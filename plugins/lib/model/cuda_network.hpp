// SPDX-License-Identifier: Apache-2.0
//
// Runs a model forward and backward on a GPU, as HostNetwork does on the host: the same operations on the same
// numbers, products by cuBLASLt. Nothing is allocated and nothing waits once it is made.
#pragma once

#include "lib/cublaslt.hpp"
#include "lib/model/cuda_arithmetic.hpp"
#include "lib/model/cuda_fused_attention.hpp"
#include "lib/model/cuda_plan.hpp"
#include "lib/model/cuda_products.hpp"
#include "lib/model/model.hpp"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <utility>

namespace assay::plugins::model {

// Of a micro-batch, on the device: token numbers (`features`, in the type of products), and labels.
struct CudaBatch {
  const std::int32_t* tokens = nullptr;
  const void* features = nullptr;
  const std::int32_t* labels = nullptr;
};

// Arrays on the device that the caller owns, each aligned to 256 bytes.
struct CudaMemory {
  void* parameters = nullptr;          // at NetworkPlaces, of the type of parameters
  void* compute_parameters = nullptr;  // the same in the type of products; the same array where types are one
  void* gradients = nullptr;           // at NetworkPlaces, of the type of parameters
  std::byte* arena = nullptr;          // CudaPlan::arena_bytes
  std::byte* passing = nullptr;        // CudaPlan::passing_bytes
  float* turns = nullptr;              // turns_of(model)
  device::Workspace workspace;
};

// Where tensors lie in these arrays. Those that are there for a pass only may lie elsewhere in the other one.
struct NetworkPlaces {
  NetworkPlaces(const TensorPlaces& all)
      : forward(all), backward(all), gradients(all) {}  // NOLINT: all are alike
  NetworkPlaces(TensorPlaces in_forward, TensorPlaces in_backward, TensorPlaces of_gradients)
      : forward(std::move(in_forward)),
        backward(std::move(in_backward)),
        gradients(std::move(of_gradients)) {}
  TensorPlaces forward, backward, gradients;
};

// How many cosines and sines rotary positions need; 0: there are none.
std::size_t turns_of(const Model& model);

class CudaNetwork {
 public:
  CudaNetwork() = default;
  CudaNetwork(const CudaNetwork&) = delete;  // kernels hold addresses that it knows
  CudaNetwork& operator=(const CudaNetwork&) = delete;
  virtual ~CudaNetwork() = default;

  // Queues the forward pass. Gradients will be those of `share` times the mean loss of the micro-batch, and *loss
  // (on the device) becomes (add_loss ? *loss : 0) + share · that mean. A part without the loss leaves it as it is.
  void forward(cudaStream_t stream, const CudaBatch& batch, double share, bool add_loss, double* loss) {
    forward(stream, batch, share, add_loss, loss, 0, operations());
  }
  // The same of operations [begin, end) alone, which follow those before them.
  virtual void forward(cudaStream_t stream, const CudaBatch& batch, double share, bool add_loss, double* loss,
                       std::size_t begin, std::size_t end) = 0;
  virtual std::size_t operations() const = 0;

  // Of InFlight::several: the memory of another micro-batch, of what is queued from now on.
  virtual void use(std::byte* arena) = 0;
  // Of a part of a model: where the value goes that it is given, before forward(); and the gradient of what it hands
  // over, before backward().
  virtual void* received() const = 0;
  virtual void* given_gradient() const = 0;
  // And where they are found that it hands over: its value after forward(), the gradient of what it was given after
  // backward().
  virtual const void* result() const = 0;
  virtual const void* received_gradient() const = 0;

  // Called before each operation is queued, forward and backward.
  virtual void before_each(std::function<void()> call) = 0;

  // Gradients of the tensor of this number and of all behind it are there once the stream comes here.
  using Ready = std::function<void(int lowest_tensor)>;
  // Queues the backward pass of the same batch. `first`: gradients are written, else they are added to what is there.
  // `ready` may be null.
  void backward(cudaStream_t stream, const CudaBatch& batch, bool first, const Ready& ready) {
    backward(stream, batch, first, ready, 0, operations());
  }
  virtual void backward(cudaStream_t stream, const CudaBatch& batch, bool first, const Ready& ready,
                        std::size_t begin, std::size_t end) = 0;
};

// Of the current device, which `handle` belongs to. `fused` computes attention where the plan is made for it, else it
// is null. `model`, `plan` and `fused` outlive it. Throws Skip where
// cuBLASLt has no algorithm for a product, or a row is too long.
std::unique_ptr<CudaNetwork> make_cuda_network(const cublaslt::Handle& handle, const Model& model,
                                               const CudaPlan& plan, NetworkPlaces places,
                                               Arithmetic arithmetic, const CudaMemory& memory,
                                               FusedAttention* fused = nullptr);

}  // namespace assay::plugins::model
