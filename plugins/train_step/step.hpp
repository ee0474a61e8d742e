// SPDX-License-Identifier: Apache-2.0
//
// One training step of one rank on the host: forward and backward over micro-batches, the average of gradients
// over ranks, the optimiser's update. Every parameter, gradient, state and activation has its own memory.
#pragma once

#include "lib/model/counts.hpp"
#include "lib/model/host_network.hpp"
#include "lib/model/host_optimizer.hpp"
#include "lib/model/inputs.hpp"
#include "lib/model/model.hpp"
#include "lib/model/plan.hpp"
#include "train_step/communication.hpp"
#include "train_step/phase_times.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace assay::plugins::train_step {

using model::StepInputs;

enum class Optimizer { sgd, adamw };
enum class Without { none, communication, compute, optimizer };

struct StepOptions {
  std::size_t micro_batch = 4;   // samples of a rank that are computed at once
  std::size_t accumulation = 1;  // micro-batches of a rank in a step
  Optimizer optimizer = Optimizer::adamw;
  Without without = Without::none;
  std::uint32_t rank = 0, ranks = 1;  // of the job that shares its samples
  std::uint64_t seed = 0;

  std::size_t samples() const { return micro_batch * accumulation; }  // of a rank in a step
};

// How many numbers of memory a step needs, besides what ranks share.
struct StepSizes {
  std::size_t parameters = 0;  // and as many gradients
  std::size_t state = 0;       // of the optimiser
  std::size_t activations = 0, workspace = 0, scratch = 0, features = 0;
  std::size_t tokens = 0, labels = 0;

  std::uint64_t bytes() const {
    return std::uint64_t{4} *
           (2 * parameters + state + activations + workspace + scratch + features + tokens + labels);
  }
};

inline StepSizes sizes_of(const model::Model& model, const StepOptions& options) {
  StepSizes sizes;
  sizes.parameters = model.parameters();
  sizes.state = options.optimizer == Optimizer::adamw ? 2 * sizes.parameters : 0;
  if (options.without == Without::compute) return sizes;
  const model::Plan plan = model::make_plan(model, options.micro_batch);
  sizes.activations = plan.activations;
  sizes.workspace = plan.workspace;
  sizes.scratch = model::attention_scratch(model);
  const std::size_t rows = options.samples() * model.sequence;
  if (model.reads_tokens()) {
    sizes.tokens = rows;
  } else {
    sizes.features = rows * model.operations.front().out;
  }
  sizes.labels = options.micro_batch * model.labels();
  return sizes;
}

// Arrays of these sizes, which the caller owns.
struct StepMemory {
  float *parameters = nullptr, *gradients = nullptr, *first_moments = nullptr, *second_moments = nullptr;
  float *activations = nullptr, *workspace = nullptr, *scratch = nullptr, *features = nullptr;
  std::int32_t *tokens = nullptr, *labels = nullptr;
};

// One at a time; all calls from one thread. Arguments outlive it.
class Step {
 public:
  using Clock = std::function<std::int64_t()>;

  // `communication` is null where nothing is averaged.
  Step(const model::Model& model, const StepOptions& options, StepMemory memory, model::HostWorkers& workers,
       Communication* communication, Clock now_ns)
      : model_(model),
        options_(options),
        sizes_(sizes_of(model, options)),
        memory_(memory),
        plan_(model::make_plan(model, options.micro_batch)),
        workers_(workers),
        network_(model_, plan_,
                 {memory.parameters, memory.gradients, memory.activations, memory.workspace, memory.scratch},
                 workers),
        inputs_(model_, options.seed),
        communication_(communication),
        now_ns_(std::move(now_ns)) {}

  // Parameters, samples and the optimiser's state are as the seed says. Gradients are no numbers; where nothing
  // computes them they are those of StepInputs.
  void restore(std::uint64_t seed) {
    options_.seed = seed;
    inputs_ = StepInputs(model_, seed);
    steps_ = 0;
    for (const model::Tensor& tensor : model_.tensors) {
      workers_.share(tensor.size(), kElements, [&](std::size_t from, std::size_t to) {
        inputs_.parameters(tensor, tensor.offset + from, tensor.offset + to, memory_.parameters);
      });
    }
    if (sizes_.state != 0) {
      std::fill_n(memory_.first_moments, sizes_.parameters, 0.0F);
      std::fill_n(memory_.second_moments, sizes_.parameters, 0.0F);
    }
    if (options_.without != Without::compute) draw_samples();
    destroy_gradients();
  }

  // They are as restore() leaves them.
  void destroy_gradients() {
    workers_.share(sizes_.parameters, kElements, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        memory_.gradients[i] = options_.without == Without::compute ? inputs_.gradient(options_.rank, i)
                                                                    : std::numeric_limits<float>::quiet_NaN();
      }
    });
  }

  // Throws what communication throws.
  void run() {
    clock_.start(now_ns_());
    if (options_.without != Without::compute) compute();
    if (averages()) {
      clock_.add(Phase::communication, communication_->finish());
      clock_.mark(Phase::exposed, now_ns_());
    }
    ++steps_;
    if (options_.without != Without::optimizer) update();
    clock_.mark(Phase::optimizer, now_ns_());
  }

  // Of the last step.
  const PhaseSeconds& seconds() const { return clock_.seconds(); }
  double loss() const { return loss_; }

  // Since restore().
  std::uint64_t steps() const { return steps_; }
  bool averages() const { return communication_ != nullptr && options_.without != Without::communication; }
  const StepMemory& memory() const { return memory_; }
  const StepOptions& options() const { return options_; }
  const StepInputs& inputs() const { return inputs_; }
  const model::Model& model() const { return model_; }
  const model::Sgd& sgd() const { return sgd_; }
  const model::AdamW& adamw() const { return adamw_; }

  // The first of this rank's samples in a micro-batch, counted in the whole job.
  std::size_t first_sample(std::size_t micro) const {
    return (micro * options_.ranks + options_.rank) * options_.micro_batch;
  }

 private:
  static constexpr std::size_t kElements = 16 << 10;

  // A micro-batch of all ranks is one run of samples.
  void draw_samples() {
    const std::size_t of_sample = model_.reads_tokens() ? model_.sequence : model_.operations.front().out;
    for (std::size_t micro = 0; micro < options_.accumulation; ++micro) {
      const std::size_t from = first_sample(micro) * of_sample, to = micro * options_.micro_batch * of_sample;
      for (std::size_t i = 0; i < options_.micro_batch * of_sample; ++i) {
        if (model_.reads_tokens()) {
          memory_.tokens[to + i] = inputs_.token(from + i);
        } else {
          memory_.features[to + i] = inputs_.feature(from + i);
        }
      }
    }
  }

  void compute() {
    const std::size_t labels = options_.micro_batch * model_.labels();
    for (std::size_t micro = 0; micro < options_.accumulation; ++micro) {
      const std::size_t from = first_sample(micro) * model_.labels();
      for (std::size_t i = 0; i < labels; ++i) memory_.labels[i] = inputs_.label(steps_, from + i);
      const std::size_t row = micro * options_.micro_batch * model_.sequence;
      const model::HostBatch batch = {
          memory_.tokens + (model_.reads_tokens() ? row : 0),
          memory_.features + (model_.reads_tokens() ? 0 : row * model_.operations.front().out),
          memory_.labels};
      const double share = 1 / static_cast<double>(options_.accumulation);
      const double loss = network_.forward(batch, share);
      loss_ = (micro == 0 ? 0 : loss_) + share * loss;
      clock_.mark(Phase::forward, now_ns_());
      // Gradients are whole, and may be sent, in the last backward pass alone.
      const bool last = micro + 1 == options_.accumulation;
      network_.backward(batch, micro == 0, last && averages() ? ready_ : nullptr);
      clock_.mark(Phase::backward, now_ns_());
    }
  }

  void update() {
    workers_.share(sizes_.parameters, kElements, [&](std::size_t from, std::size_t to) {
      if (options_.optimizer == Optimizer::sgd) {
        sgd_.update(from, to, memory_.gradients, memory_.parameters);
      } else {
        adamw_.update(from, to, steps_, memory_.gradients, memory_.parameters, memory_.first_moments,
                      memory_.second_moments);
      }
    });
  }

  const model::Model& model_;
  StepOptions options_;
  const StepSizes sizes_;
  const StepMemory memory_;
  const model::Plan plan_;
  model::HostWorkers& workers_;
  model::HostNetwork network_;
  StepInputs inputs_;
  Communication* communication_;
  const model::HostNetwork::Ready ready_ = [this](int lowest) { communication_->ready(lowest); };
  Clock now_ns_;
  PhaseClock clock_;
  const model::Sgd sgd_;
  const model::AdamW adamw_;
  std::uint64_t steps_ = 0;
  double loss_ = 0;
};

}  // namespace assay::plugins::train_step
