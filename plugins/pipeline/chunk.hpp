// SPDX-License-Identifier: Apache-2.0
//
// One part of the model on its stage: its parameters, the memory of its micro-batches in flight, and its passes.
#pragma once

#include "lib/model/host_network.hpp"
#include "lib/model/inputs.hpp"
#include "lib/model/plan.hpp"
#include "lib/model/update.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/sets.hpp"
#include "pipeline/stage_sizes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace assay::plugins::pipeline {

// Gives this many floats that outlive the chunk.
using Allocate = std::function<float*(std::size_t floats)>;

// All calls from one thread; arguments outlive it. Passes of a micro-batch come in the schedule's order.
class Chunk {
 public:
  // `workspace` is the stage's, of whole backward passes.
  Chunk(const Layout& layout, std::uint32_t part, const ChunkSizes& sizes, const StageOptions& options,
        const Allocate& allocate, float* workspace, float* scratch, model::HostWorkers& workers)
      : layout_(layout),
        part_(layout.parts[part]),
        number_(part),
        options_(options),
        workers_(workers),
        plan_(model::make_plan(part_.model, layout.micro_batch,
                               options.split ? model::Backward::split : model::Backward::whole)),
        arrays_(allocate_arrays(sizes, options, allocate)),
        workspace_(workspace),
        given_gradient_(sizes.given_gradient != 0 ? allocate(sizes.given_gradient) : nullptr),
        network_(part_.model, plan_, {arrays_.parameters, arrays_.gradients, nullptr, nullptr, scratch},
                 workers) {
    in_flight_.resize(layout.schedule.micro_batches);
    for (std::size_t i = 0; i < sizes.activation_sets; ++i) activations_.add(allocate(sizes.activations));
    for (std::size_t i = 0; i < sizes.workspace_sets; ++i) workspaces_.add(allocate(sizes.workspace));
    for (std::size_t i = 0; i < sizes.received_sets; ++i) received_.add(allocate(sizes.received));
  }

  std::uint32_t number() const { return number_; }
  const model::Part& part() const { return part_; }
  bool is_first() const { return number_ == 0; }
  bool is_last() const { return part_.model.has_loss(); }
  const model::UpdateArrays& arrays() const { return arrays_; }
  std::size_t received_floats() const {
    return is_first() ? 0 : model::handed_over(layout_.parts[number_ - 1], layout_.micro_batch);
  }
  std::size_t result_floats() const { return model::handed_over(part_, layout_.micro_batch); }

  // As the seed says; gradients are not numbers.
  void restore(const model::StepInputs& inputs) {
    // The whole model's tensors are behind each other in the order of parts.
    for (const model::Tensor& tensor : layout_.model.tensors) {
      const std::size_t end = part_.first_parameter + part_.model.parameters();
      if (tensor.offset < part_.first_parameter || tensor.offset >= end) continue;
      workers_.share(tensor.size(), kElements, [&](std::size_t from, std::size_t to) {
        inputs.parameters(tensor, tensor.offset + from, tensor.offset + to, arrays_.parameters,
                          part_.first_parameter);
      });
    }
    if (arrays_.first_moments != nullptr) {
      std::fill_n(arrays_.first_moments, part_.model.parameters(), 0.0F);
      std::fill_n(arrays_.second_moments, part_.model.parameters(), 0.0F);
    }
    destroy_gradients();
  }
  void destroy_gradients() {
    std::fill_n(arrays_.gradients, part_.model.parameters(), std::numeric_limits<float>::quiet_NaN());
  }

  // The first gradients of a step are written, the others added to them.
  void begin_step() { gradients_are_written_ = false; }

  // Where the activations go that a micro-batch brings; then its forward pass.
  float* place_for(std::uint32_t micro) {
    InFlight& flight = in_flight_[micro];
    if (options_.recompute) return flight.received = received_.take();
    use_for_forward(flight);
    return network_.received();
  }
  void forward(std::uint32_t micro, const model::HostBatch& batch) {
    InFlight& flight = in_flight_[micro];
    use_for_forward(flight);
    take_received(flight);
    network_.forward_values(batch);
  }
  const float* result() const { return network_.result(); }

  // Where the gradient goes that a micro-batch brings back; then its backward pass. The last part computes the loss
  // first, and adds `share` times it to `loss`.
  float* place_for_gradient(std::uint32_t micro) {
    if (options_.recompute) return given_gradient_;
    use_for_backward(in_flight_[micro]);
    return network_.given_gradient();
  }
  void backward(std::uint32_t micro, const model::HostBatch& batch, double share, double& loss) {
    InFlight& flight = in_flight_[micro];
    begin_backward(flight, batch, share, loss);
    network_.backward(batch, !std::exchange(gradients_are_written_, true), nullptr);
    end(flight);
  }
  void input_gradient(std::uint32_t micro, const model::HostBatch& batch, double share, double& loss) {
    begin_backward(in_flight_[micro], batch, share, loss);
    network_.backward_values(batch);
  }
  void weight_gradient(std::uint32_t micro, const model::HostBatch& batch) {
    InFlight& flight = in_flight_[micro];
    network_.use(flight.activations, flight.workspace);
    network_.backward_parameters(batch, !std::exchange(gradients_are_written_, true));
    end(flight);
  }
  const float* received_gradient() const { return network_.received_gradient(); }

  void update(std::uint64_t step) {
    model::Update(options_.optimizer).apply(workers_, part_.model.parameters(), step, arrays_);
  }

 private:
  static constexpr std::size_t kElements = 16 << 10;  // that one thread takes at least

  // What a micro-batch holds between its passes.
  struct InFlight {
    float *activations = nullptr, *workspace = nullptr, *received = nullptr;
  };

  static model::UpdateArrays allocate_arrays(const ChunkSizes& sizes, const StageOptions& options,
                                             const Allocate& allocate) {
    model::UpdateArrays arrays;
    arrays.parameters = allocate(sizes.parameters);
    arrays.gradients = allocate(sizes.parameters);
    if (model::state_numbers(options.optimizer) != 0) {
      arrays.first_moments = allocate(sizes.parameters);
      arrays.second_moments = allocate(sizes.parameters);
    }
    return arrays;
  }

  float* workspace(const InFlight& flight) const {
    if (!options_.split) return workspace_;
    return flight.workspace != nullptr ? flight.workspace : workspaces_.next();
  }

  // Values that are computed again leave nothing behind.
  void use_for_forward(InFlight& flight) {
    if (options_.recompute) {
      network_.use(activations_.next(), workspace(flight));
      return;
    }
    if (flight.activations == nullptr) flight.activations = activations_.take();
    network_.use(flight.activations, workspace(flight));
  }

  void use_for_backward(InFlight& flight) {
    if (flight.activations == nullptr) flight.activations = activations_.take();
    if (options_.split && flight.workspace == nullptr) flight.workspace = workspaces_.take();
    network_.use(flight.activations, workspace(flight));
  }

  void take_received(const InFlight& flight) {
    if (flight.received != nullptr) std::copy_n(flight.received, received_floats(), network_.received());
  }

  void begin_backward(InFlight& flight, const model::HostBatch& batch, double share, double& loss) {
    use_for_backward(flight);
    if (options_.recompute) {
      take_received(flight);
      network_.forward_values(batch);
      if (!is_last()) std::copy_n(given_gradient_, result_floats(), network_.given_gradient());
    }
    if (is_last()) loss += share * network_.loss(batch, share);
  }

  void end(InFlight& flight) {
    activations_.put_back(flight.activations);
    if (flight.workspace != nullptr) workspaces_.put_back(flight.workspace);
    if (flight.received != nullptr) received_.put_back(flight.received);
    flight = {};
  }

  const Layout& layout_;
  const model::Part& part_;
  const std::uint32_t number_;
  const StageOptions options_;
  model::HostWorkers& workers_;
  const model::Plan plan_;
  const model::UpdateArrays arrays_;
  float* const workspace_;
  float* const given_gradient_;
  Sets<float> activations_, workspaces_, received_;
  std::vector<InFlight> in_flight_;  // of each micro-batch
  model::HostNetwork network_;
  bool gradients_are_written_ = false;
};

}  // namespace assay::plugins::pipeline
