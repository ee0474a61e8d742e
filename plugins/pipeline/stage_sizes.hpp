// SPDX-License-Identifier: Apache-2.0
//
// How much memory a stage needs, from the model and the schedule alone.
#pragma once

#include "lib/available_memory.hpp"
#include "lib/model/plan.hpp"
#include "lib/model/update.hpp"
#include "lib/schedule/schedule.hpp"
#include "pipeline/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::pipeline {

struct StageOptions {
  model::Optimizer optimizer = model::Optimizer::adamw;
  bool recompute = false;
  bool split = false;  // backward passes into gradients of values and of weights
};

inline StageOptions stage_options_of(const Parameters& given) {
  return {given.optimizer, given.recompute, given.schedule == schedule::Style::zero_bubble};
}

// Numbers of 4 bytes.
struct ChunkSizes {
  std::size_t parameters = 0;       // and as many gradients
  std::size_t activations = 0;      // of a micro-batch
  std::size_t activation_sets = 0;  // micro-batches whose activations are kept at once
  std::size_t workspace = 0;        // gradients of values of a micro-batch
  std::size_t workspace_sets = 0;   // with split backward passes; else the stage has one workspace
  std::size_t received = 0;         // what it is given of a micro-batch
  std::size_t received_sets = 0;    // micro-batches of which this is all that is kept
  std::size_t given_gradient = 0;   // for which there is a place of its own where values are computed again
};

struct StageSizes {
  std::vector<ChunkSizes> of_chunk;
  std::size_t workspace = 0;  // that all chunks share
  std::size_t scratch = 0;
  std::size_t tokens = 0, features = 0, labels = 0;
  std::size_t state_numbers = 0;  // of the optimiser, for each parameter

  std::size_t parameters() const {
    std::size_t sum = 0;
    for (const ChunkSizes& chunk : of_chunk) sum += chunk.parameters;
    return sum;
  }
  std::size_t activations() const {
    std::size_t sum = 0;
    for (const ChunkSizes& chunk : of_chunk)
      sum += chunk.activations * chunk.activation_sets + chunk.received * chunk.received_sets;
    return sum;
  }
  std::size_t gradients_of_values() const {
    std::size_t sum = workspace + scratch;
    for (const ChunkSizes& chunk : of_chunk)
      sum += chunk.workspace * chunk.workspace_sets + chunk.given_gradient;
    return sum;
  }
  std::uint64_t bytes() const {
    return std::uint64_t{4} * ((2 + state_numbers) * parameters() + activations() + gradients_of_values() +
                               tokens + features + labels);
  }
};

inline StageSizes sizes_of(const Layout& layout, std::uint32_t stage, const StageOptions& options) {
  const schedule::Holding holding = schedule::holdings_of(layout.schedule)[stage];
  StageSizes sizes;
  sizes.state_numbers = model::state_numbers(options.optimizer);
  for (std::uint32_t chunk = 0; chunk < layout.schedule.chunks; ++chunk) {
    const std::uint32_t number = layout.schedule.part(stage, chunk);
    const model::Part& part = layout.parts[number];
    const model::Plan plan = model::make_plan(
        part.model, layout.micro_batch, options.split ? model::Backward::split : model::Backward::whole);
    ChunkSizes& of = sizes.of_chunk.emplace_back();
    of.parameters = part.model.parameters();
    of.activations = plan.activations;
    of.activation_sets = options.recompute ? holding.pending[chunk] : holding.of_chunk[chunk];
    of.workspace = plan.workspace;
    of.workspace_sets = options.split ? holding.pending[chunk] : 0;
    if (!options.split) sizes.workspace = std::max(sizes.workspace, plan.workspace);
    if (options.recompute && number > 0) {
      of.received = model::handed_over(layout.parts[number - 1], layout.micro_batch);
      of.received_sets = holding.of_chunk[chunk];
    }
    if (options.recompute) of.given_gradient = model::handed_over(part, layout.micro_batch);
    sizes.scratch = std::max(sizes.scratch, model::attention_scratch(part.model));
    if (number == 0) {
      const std::size_t rows = layout.batch * layout.model.sequence;
      (layout.model.reads_tokens() ? sizes.tokens : sizes.features) =
          layout.model.reads_tokens() ? rows : rows * layout.model.operations.front().out;
    }
    if (number + 1 == layout.schedule.parts()) sizes.labels = layout.micro_batch * layout.model.labels();
  }
  return sizes;
}

inline std::string formula_of(const StageSizes& sizes) {
  const auto size = [](std::size_t numbers) { return memory_text(std::uint64_t{4} * numbers); };
  std::string text =
      std::to_string(sizes.parameters()) + " parameters and gradients " + size(2 * sizes.parameters());
  if (sizes.state_numbers != 0) text += ", optimiser " + size(sizes.state_numbers * sizes.parameters());
  return text + ", activations in flight " + size(sizes.activations()) + ", their gradients " +
         size(sizes.gradients_of_values()) + ", inputs " + size(sizes.tokens + sizes.features + sizes.labels);
}

}  // namespace assay::plugins::pipeline
