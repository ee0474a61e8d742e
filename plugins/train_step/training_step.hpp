// SPDX-License-Identifier: Apache-2.0
//
// What steps of every strategy have in common on the host: the samples, the network, the clock of their parts,
// and what is shown to their check.
#pragma once

#include "lib/model/gradient_check.hpp"
#include "lib/model/host_network.hpp"
#include "lib/model/inputs.hpp"
#include "lib/model/model.hpp"
#include "lib/model/plan.hpp"
#include "lib/model/update.hpp"
#include "train_step/phase_times.hpp"
#include "train_step/sample_loader.hpp"
#include "train_step/step_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

using model::StepInputs;

// What a step left, whole: its check sees no difference between strategies.
struct StepView {
  const model::Model* model = nullptr;
  const StepInputs* inputs = nullptr;
  StepOptions options;
  std::uint64_t steps = 0;      // since restore()
  bool averages = false;        // over ranks
  model::UpdatedArrays arrays;  // of all parameters; moments are null without AdamW
  std::function<float(std::size_t)>
      closed_form;               // where nothing computes gradients: what each element has to be
  model::ElementError rounding;  // of gradients, besides that of single precision
  // What gradients lack of the average over ranks and the last step carries on; null where it carries nothing.
  const float* remainder = nullptr;
  std::vector<std::vector<float>> gathered;  // memory of the arrays that are whole on no rank
};

// One at a time; all calls from one thread. Arguments of constructors outlive it.
class TrainingStep {
 public:
  using Clock = std::function<std::int64_t()>;  // [any thread] nanoseconds
  using Asked = std::function<bool()>;

  TrainingStep(const TrainingStep&) = delete;
  TrainingStep& operator=(const TrainingStep&) = delete;
  virtual ~TrainingStep() = default;

  // Parameters, samples and the optimiser's state are as the seed says. Gradients are not numbers; where nothing
  // computes them they are those of StepInputs.
  virtual void restore(std::uint64_t seed) = 0;
  // They are as restore() leaves them.
  virtual void destroy_gradients() = 0;
  // This many calls of run() follow each other: their samples are loaded ahead of them. Throws what loading throws.
  void begin(std::uint64_t steps) {
    if (loader_) loader_->begin(steps);
  }
  // Throws what communication throws.
  virtual void run() = 0;
  // Of several ranks that average or shard all call it. It is gone with the step, and stale after the next run().
  virtual StepView view() = 0;

  // Of the last step.
  const PhaseSeconds& seconds() const { return clock_.seconds(); }
  const std::vector<PhaseSpan>& spans() const { return clock_.spans(); }
  double loss() const { return loss_; }

  std::uint64_t steps() const { return steps_; }  // since restore()
  const StepMemory& memory() const { return memory_; }
  const StepOptions& options() const { return options_; }
  const StepInputs& inputs() const { return inputs_; }

 protected:
  static constexpr std::size_t kElements = 16 << 10;  // that a thread takes at least

  // `cancelled` ends waiting for samples.
  TrainingStep(const model::Model& model, const StepOptions& options, StepMemory memory,
               model::HostWorkers& workers, Clock now_ns, Asked cancelled)
      : model_(model),
        options_(options),
        memory_(memory),
        plan_(plan_of(model, options)),
        workers_(workers),
        network_(model_, plan_, network_memory(memory, options.shards.sharding), workers),
        inputs_(model_, options.seed),
        now_ns_(std::move(now_ns)),
        cancelled_(std::move(cancelled)) {}

  // All but parameters, gradients and the optimiser's state.
  void restore_inputs(std::uint64_t seed) {
    options_.seed = seed;
    inputs_ = StepInputs(model_, seed);
    steps_ = 0;
    loader_.reset();  // what it has ready is of another seed, or of the midst of a step
    if (options_.loads()) {
      loader_ = std::make_unique<SampleLoader>(model_, options_, cancelled_);
    } else if (options_.without != Without::compute) {
      draw_samples();
    }
  }

  // Of a micro-batch, with labels of this step. Until the next call.
  model::HostBatch next_batch(std::size_t micro) {
    const std::byte* const loaded = loader_ ? loader_->next() : nullptr;
    if (loader_) clock_.mark(Phase::loading, now_ns_());
    const std::size_t labels = options_.micro_batch * model_.labels();
    const std::size_t from = options_.first_sample(micro) * model_.labels();
    for (std::size_t i = 0; i < labels; ++i) memory_.labels[i] = inputs_.label(steps_, from + i);
    if (loaded != nullptr) {
      return {reinterpret_cast<const std::int32_t*>(loaded), reinterpret_cast<const float*>(loaded),
              memory_.labels};
    }
    const std::size_t row = micro * options_.micro_batch * model_.sequence;
    return {memory_.tokens + (model_.reads_tokens() ? row : 0),
            memory_.features + (model_.reads_tokens() ? 0 : row * model_.operations.front().out),
            memory_.labels};
  }

  // Of a micro-batch's loss in that of the step.
  double micro_share() const { return 1 / static_cast<double>(options_.accumulation); }
  void add_loss(std::size_t micro, double loss) { loss_ = (micro == 0 ? 0 : loss_) + micro_share() * loss; }

  // The optimiser's step number steps() on `count` elements that lie there.
  void update(std::size_t count, const model::UpdateArrays& of) {
    model::Update(options_.optimizer).apply(workers_, count, steps_, of);
  }

  // Writes value(i) to data[i].
  template <class Value>
  void fill(float* data, std::size_t count, const Value& value) {
    workers_.share(count, kElements, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) data[i] = value(i);
    });
  }
  static float no_number(std::size_t) { return std::numeric_limits<float>::quiet_NaN(); }

  StepView view_of_inputs() const {
    StepView view;
    view.model = &model_;
    view.inputs = &inputs_;
    view.options = options_;
    view.steps = steps_;
    return view;
  }

  const model::Model& model_;
  StepOptions options_;
  const StepMemory memory_;
  const model::Plan plan_;
  model::HostWorkers& workers_;
  model::HostNetwork network_;
  StepInputs inputs_;
  const Clock now_ns_;
  const Asked cancelled_;
  PhaseClock clock_;
  std::uint64_t steps_ = 0;
  double loss_ = 0;

 private:
  // What is sharded is placed stage by stage.
  static model::HostMemory network_memory(const StepMemory& memory, Sharding sharding) {
    return {sharding == Sharding::parameters ? nullptr : memory.parameters,
            sharding == Sharding::parameters || sharding == Sharding::gradients ? nullptr : memory.gradients,
            memory.activations, memory.workspace, memory.scratch};
  }

  // A micro-batch of all ranks is one run of samples.
  void draw_samples() {
    const std::size_t of_sample = numbers_of_sample(model_);
    for (std::size_t micro = 0; micro < options_.accumulation; ++micro) {
      const std::size_t from = options_.first_sample(micro) * of_sample;
      const std::size_t to = micro * options_.micro_batch * of_sample;
      for (std::size_t i = 0; i < options_.micro_batch * of_sample; ++i) {
        if (model_.reads_tokens()) {
          memory_.tokens[to + i] = inputs_.token(from + i);
        } else {
          memory_.features[to + i] = inputs_.feature(from + i);
        }
      }
    }
  }

  std::unique_ptr<SampleLoader> loader_;
};

}  // namespace assay::plugins::train_step
