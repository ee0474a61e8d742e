// SPDX-License-Identifier: Apache-2.0
//
// Runs a model forward and backward in fp32 on the host: products by the BLAS, the rest by loops that threads
// share.
#pragma once

#include "lib/model/host_workers.hpp"
#include "lib/model/model.hpp"
#include "lib/model/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace assay::plugins::model {

// What a micro-batch of samples is: token numbers below the model's words (`features` of an MLP, its width for
// each sample), and for each row of scores the class that would be right. They have to stay until backward().
struct HostBatch {
  const std::int32_t* tokens = nullptr;
  const float* features = nullptr;
  const std::int32_t* labels = nullptr;
};

// Arrays that the caller owns: two of Model::parameters() elements, then as the plan says, and
// attention_scratch() of them. The first two may be null where the caller says of every tensor where it lies.
struct HostMemory {
  float* parameters = nullptr;
  float* gradients = nullptr;
  float* activations = nullptr;
  float* workspace = nullptr;
  float* scratch = nullptr;
};

// One at a time; all calls from one thread. Arguments outlive it.
class HostNetwork {
 public:
  HostNetwork(const Model& model, const Plan& plan, HostMemory memory, HostWorkers& workers);

  // From now on the parameters of tensors [first, end) lie at `at`, one behind the other as in Model::tensors.
  void place_parameters(std::size_t first, std::size_t end, const float* at);
  // The same of their gradients.
  void place_gradients(std::size_t first, std::size_t end, float* at);

  // The mean loss of the micro-batch. Gradients will be those of `scale` times that mean.
  double forward(const HostBatch& batch, double scale);
  // Called with the number of a tensor when the gradients of it and of all behind it are there.
  using Ready = std::function<void(int lowest_tensor)>;

  // The two halves of forward(): all but the loss; and the loss with its gradient.
  void forward_values(const HostBatch& batch);
  // The same of operations [from, end), for a pass in parts that go from the first one to the last.
  void forward_values(const HostBatch& batch, std::size_t from, std::size_t end);
  double loss(const HostBatch& batch, double scale);

  // After forward() of the same batch. `first`: gradients are written, else they are added to what is there.
  void backward(const HostBatch& batch, bool first, const Ready& ready);
  // The same in parts: operations [from, end) in reverse; the parts go from the last one to the first.
  void backward(const HostBatch& batch, bool first, const Ready& ready, std::size_t from, std::size_t end);
  // The same in two steps, by a plan for that. Between them activations and workspace stay as they are.
  void backward_values(const HostBatch& batch);
  void backward_parameters(const HostBatch& batch, bool first);

  // Activations and workspace of another micro-batch, from now on.
  void use(float* activations, float* workspace);

  // Of a part of a model: where the value goes that it receives, and the gradient that it is given for its own.
  float* received() const { return value(0); }
  float* given_gradient() const { return gradient(static_cast<int>(model_.operations.size()) - 1); }
  // And where they are found that it hands over: its value after forward_values(), the gradient of what it received
  // after the backward pass.
  const float* result() const { return value(static_cast<int>(model_.operations.size()) - 1); }
  const float* received_gradient() const { return gradient(0); }

 private:
  enum class Of { all, values, parameters };  // what gradients are computed of
  float* value(int operation) const;
  float* gradient(int operation) const;
  const float* parameters(const Operation& operation, int tensor) const;
  float* gradients(const Operation& operation, int tensor) const;
  std::size_t rows(const Operation& operation) const { return model_.rows(operation, plan_.samples); }
  // What the operation takes: of the first product of an MLP its features.
  const float* taken(const Operation& operation, const HostBatch& batch) const;

  void forward_one(std::size_t i, const HostBatch& batch);
  void backward_one(std::size_t i, const HostBatch& batch, bool first, Of of);
  void embedding(const Operation& operation, const HostBatch& batch, float* y);
  void embedding_backward(std::size_t i, const HostBatch& batch, bool first);
  void linear(std::size_t i, const HostBatch& batch);
  void linear_backward(std::size_t i, const HostBatch& batch, bool first, Of of);
  void norm_backward(std::size_t i, bool first, Of of);
  void attention(std::size_t i);
  void attention_backward(std::size_t i);
  void rotate_all(const Operation& operation, bool back, float* rows_of_all);

  const Model& model_;
  const Plan& plan_;
  HostMemory memory_;
  HostWorkers& workers_;
  std::vector<const float*> parameters_;  // of each tensor
  std::vector<float*> gradients_;
  std::vector<float> turns_;  // cosines and sines of rotary positions, for each token of a sample
  std::vector<double> losses_;
  float scale_ = 1;
};

}  // namespace assay::plugins::model
