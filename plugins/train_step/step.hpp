// SPDX-License-Identifier: Apache-2.0
//
// One training step of one rank that holds all parameters, gradients and state: forward and backward over
// micro-batches, the average of gradients over ranks, the optimiser's update.
#pragma once

#include "lib/half.hpp"
#include "train_step/communication.hpp"
#include "train_step/training_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

class Step final : public TrainingStep {
 public:
  // `communication` is null where nothing is averaged.
  Step(const model::Model& model, const StepOptions& options, StepMemory memory, model::HostWorkers& workers,
       Communication* communication, Clock now_ns, Asked cancelled)
      : TrainingStep(model, options, memory, workers, std::move(now_ns), std::move(cancelled)),
        communication_(communication) {}

  void restore(std::uint64_t seed) override {
    restore_inputs(seed);
    for (const model::Tensor& tensor : model_.tensors) {
      workers_.share(tensor.size(), kElements, [&](std::size_t from, std::size_t to) {
        inputs_.parameters(tensor, tensor.offset + from, tensor.offset + to, memory_.parameters);
      });
    }
    if (options_.optimizer == Optimizer::adamw) {
      std::fill_n(memory_.first_moments, model_.parameters(), 0.0F);
      std::fill_n(memory_.second_moments, model_.parameters(), 0.0F);
    }
    if (compression() != nullptr) compression()->restore(seed);
    destroy_gradients();
  }

  void destroy_gradients() override {
    if (options_.without == Without::compute) {
      fill(memory_.gradients, model_.parameters(),
           [this](std::size_t i) { return inputs_.gradient(options_.rank, i); });
    } else {
      fill(memory_.gradients, model_.parameters(), no_number);
    }
  }

  void run() override {
    clock_.start(now_ns_());
    if (options_.without != Without::compute) compute();
    if (averages()) {
      communication_->finish();
      clock_.mark(Phase::exposed, now_ns_());
      add_averages();
    }
    ++steps_;
    if (options_.without != Without::optimizer) {
      update(model_.parameters(), arrays());
    }
    clock_.mark(Phase::optimizer, now_ns_());
  }

  StepView view() override {
    StepView view = view_of_inputs();
    view.averages = averages();
    view.arrays = arrays();
    const bool halves = options_.compression == CompressionKind::fp16;
    view.closed_form = [this, halves](std::size_t i) {
      if (!averages()) return inputs_.gradient(options_.rank, i);
      const float average = inputs_.average_gradient(options_.ranks, i);
      return halves ? to_float(to_half(average)) : average;
    };
    // A rank's gradient is rounded, and then their average.
    if (halves) view.rounding = {0x1p-11 * std::sqrt(2.0), 0x1p-25 * std::sqrt(2.0)};
    if (compression() != nullptr && compression()->carries_on()) {
      std::vector<float>& remainder = view.gathered.emplace_back(model_.parameters());
      compression()->remainder(remainder.data());
      view.remainder = remainder.data();
    }
    return view;
  }

  bool averages() const { return communication_ != nullptr && options_.without != Without::communication; }

 private:
  model::UpdateArrays arrays() const {
    return {memory_.parameters, memory_.gradients, memory_.first_moments, memory_.second_moments};
  }
  Compression* compression() const {
    return communication_ != nullptr ? communication_->compression() : nullptr;
  }

  void add_averages() {
    std::int64_t all_ns = 0;
    for (const PhaseSpan& average : communication_->averages()) {
      clock_.add(average);
      all_ns += average.end_ns - average.begin_ns;
    }
    if (compression() != nullptr) clock_.add(Phase::compression, all_ns - compression()->take_exchange_ns());
  }

  void compute() {
    for (std::size_t micro = 0; micro < options_.accumulation; ++micro) {
      const model::HostBatch batch = next_batch(micro);
      add_loss(micro, network_.forward(batch, micro_share()));
      clock_.mark(Phase::forward, now_ns_());
      // Gradients are whole, and may be sent, in the last backward pass alone.
      const bool last = micro + 1 == options_.accumulation;
      network_.backward(batch, micro == 0, last && averages() ? ready_ : nullptr);
      clock_.mark(Phase::backward, now_ns_());
    }
  }

  Communication* communication_;
  const model::HostNetwork::Ready ready_ = [this](int lowest) { communication_->ready(lowest); };
};

}  // namespace assay::plugins::train_step
