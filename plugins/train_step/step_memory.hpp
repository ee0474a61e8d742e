// SPDX-License-Identifier: Apache-2.0
//
// What a step is, and which memory it needs: from the model's numbers and the options alone, before anything is
// allocated.
#pragma once

#include "lib/model/model.hpp"
#include "lib/model/plan.hpp"
#include "lib/model/update.hpp"
#include "train_step/shard_plan.hpp"

#include <cstddef>
#include <cstdint>

namespace assay::plugins::train_step {

using model::Optimizer;
// What ranks average in place of gradients.
enum class CompressionKind { none, fp16, powersgd };
enum class Without { none, communication, compute, optimizer, loader };

struct StepOptions {
  std::size_t micro_batch = 4;   // samples of a rank that are computed at once
  std::size_t accumulation = 1;  // micro-batches of a rank in a step
  Optimizer optimizer = Optimizer::adamw;
  Without without = Without::none;
  bool recompute = false;             // layers in the backward pass, in place of keeping their values
  std::uint32_t rank = 0, ranks = 1;  // of the job that shares its samples
  std::uint64_t seed = 0;
  CompressionKind compression = CompressionKind::none;
  std::size_t compression_rank = 1;  // of PowerSGD's matrices
  ShardOptions shards;
  std::uint32_t loader_workers = 0, decode_steps = 0;  // of a rank; 0: samples lie ready

  bool loads() const {
    return loader_workers != 0 && without != Without::compute && without != Without::loader;
  }
  std::size_t samples() const { return micro_batch * accumulation; }  // of a rank in a step
  // The first of this rank's samples in a micro-batch, counted in the whole job.
  std::size_t first_sample(std::size_t micro) const { return (micro * ranks + rank) * micro_batch; }
};

// Where values and their gradients lie.
inline model::Plan plan_of(const model::Model& model, const StepOptions& options) {
  return model::make_plan(model, options.micro_batch, model::Backward::whole,
                          options.recompute ? model::Keep::between_layers : model::Keep::all);
}

// How many numbers of 4 bytes a step needs, besides what ranks share.
struct StepSizes {
  std::size_t parameters = 0, gradients = 0;  // that the rank holds
  std::size_t state = 0;                      // of the optimiser: this many for each of its two numbers
  std::size_t gathered = 0;                   // buffers of whole units' parameters
  std::size_t unreduced = 0;                  // buffers of whole units' gradients
  std::size_t compression = 0;                // what is sent in place of gradients, and what it carries on
  std::size_t activations = 0, workspace = 0, scratch = 0, features = 0;
  std::size_t tokens = 0, labels = 0;
  std::size_t loader = 0;  // codes of samples, and the batches that lie ready

  std::uint64_t bytes() const {
    return std::uint64_t{4} * (parameters + gradients + 2 * state + gathered + unreduced + compression +
                               activations + workspace + scratch + features + tokens + labels + loader);
  }
};

// All but the memory of a compression and of a loader. `plan` is null where nothing is sharded.
inline StepSizes sizes_of(const model::Model& model, const StepOptions& options, const ShardPlan* plan) {
  StepSizes sizes;
  const Sharding sharding = options.shards.sharding;
  const std::size_t all = model.parameters(), share = plan != nullptr ? plan->layout.size : all;
  sizes.parameters = sharding == Sharding::parameters ? share : all;
  sizes.gradients = sharding == Sharding::parameters || sharding == Sharding::gradients ? share : all;
  sizes.state = options.optimizer == Optimizer::adamw ? share : 0;
  if (plan != nullptr) {
    for (const std::size_t buffer : plan->schedule.parameter_buffers) sizes.gathered += buffer;
    for (const std::size_t buffer : plan->schedule.gradient_buffers) sizes.unreduced += buffer;
  }
  if (options.without == Without::compute) return sizes;
  const model::Plan places = plan_of(model, options);
  sizes.activations = places.activations;
  sizes.workspace = places.workspace;
  sizes.scratch = model::attention_scratch(model);
  const std::size_t rows = options.samples() * model.sequence;
  if (!options.loads()) {
    (model.reads_tokens() ? sizes.tokens : sizes.features) =
        model.reads_tokens() ? rows : rows * model.operations.front().out;
  }
  sizes.labels = options.micro_batch * model.labels();
  return sizes;
}

// Arrays of these sizes, which the caller owns.
struct StepMemory {
  float *parameters = nullptr, *gradients = nullptr, *first_moments = nullptr, *second_moments = nullptr;
  float *gathered = nullptr, *unreduced = nullptr, *compression = nullptr;
  float *activations = nullptr, *workspace = nullptr, *scratch = nullptr, *features = nullptr;
  std::int32_t *tokens = nullptr, *labels = nullptr;
};

}  // namespace assay::plugins::train_step
