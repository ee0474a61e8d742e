// SPDX-License-Identifier: Apache-2.0
//
// What a pipeline is made of: the schedule and the parts of the model. Everything that cannot be is refused here.
#pragma once

#include "lib/model/model.hpp"
#include "lib/model/partition.hpp"
#include "lib/schedule/schedule.hpp"
#include "lib/schedule/simulate.hpp"
#include "pipeline/parameters.hpp"

#include <assay/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::plugins::pipeline {

struct Layout {
  model::Model model;
  schedule::Schedule schedule;
  std::vector<model::Part> parts;
  std::size_t batch = 0;        // samples of a step
  std::size_t micro_batch = 0;  // samples of a micro-batch
};

namespace detail {

inline std::uint32_t chunks_of(const Parameters& given) {
  return given.chunks != 0 ? given.chunks : given.schedule == schedule::Style::interleaved ? 2 : 1;
}

inline schedule::Schedule schedule_of(const Parameters& given, std::uint32_t stages) {
  const bool interleaved = given.schedule == schedule::Style::interleaved;
  const std::uint32_t chunks = chunks_of(given);
  if (!interleaved && chunks > 1)
    throw Skip("chunks: only an interleaved schedule has several of them on a stage");
  if (interleaved && stages == 1)
    throw Skip("an interleaved schedule has 2 stages or more; give the case ranks: 2");
  try {
    return schedule::make_schedule(given.schedule, stages, given.micro_batches, chunks);
  } catch (const std::invalid_argument& error) {
    throw BadParameter(chunks == 1 ? "chunks" : "micro_batches", error.what());
  }
}

// Whether it ends, with the buffers that there are, does not depend on what its parts cost.
inline void require_end(const schedule::Schedule& schedule, std::uint32_t buffers) {
  schedule::Costs costs = schedule::uniform_costs(schedule, 1, 1, 1);
  costs.buffers = buffers;
  const std::string deadlock = schedule::simulate(schedule, costs).deadlock;
  if (!deadlock.empty())
    throw BadParameter("buffers", "with " + std::to_string(buffers) + " the schedule deadlocks: " + deadlock +
                                      "; give it more");
}

}  // namespace detail

// Of this many stages. Throws BadParameter for what there is not, and Skip for what goes with others.
inline Layout layout_of(const Parameters& given, std::uint32_t stages) {
  Layout layout;
  layout.model = model::model_of(given);
  if (given.micro_batches == 0) throw BadParameter("micro_batches", "there has to be one");
  if (given.micro_batches > given.batch) {
    throw Skip("micro_batches: " + std::to_string(given.micro_batches) +
               " are more than a batch has samples, " + std::to_string(given.batch));
  }
  if (given.batch % given.micro_batches != 0) {
    throw BadParameter("micro_batches", std::to_string(given.micro_batches) + " do not divide a batch of " +
                                            std::to_string(given.batch) + " samples");
  }
  layout.batch = given.batch;
  layout.micro_batch = given.batch / given.micro_batches;
  const std::uint64_t parts = std::uint64_t{stages} * detail::chunks_of(given);
  const bool interleaved = given.schedule == schedule::Style::interleaved;
  if ((interleaved || given.chunks <= 1) && parts > layout.model.layers()) {
    const char* parameter = given.chunks > 1 ? "chunks" : given.layers != 0 ? "layers" : "split";
    throw BadParameter(parameter, std::to_string(parts) + " parts need a layer each, and the model has " +
                                      std::to_string(layout.model.layers()));
  }
  if (parts * given.micro_batches > kMostPasses) {
    throw BadParameter("micro_batches", std::to_string(given.micro_batches) + " through " +
                                            std::to_string(parts) + " parts are more than " +
                                            std::to_string(kMostPasses) + " passes");
  }
  layout.schedule = detail::schedule_of(given, stages);
  try {
    layout.parts = model::make_parts(
        layout.model, model::layers_of_parts(given.split, layout.model.layers(), layout.schedule.parts()));
  } catch (const std::invalid_argument& error) {
    throw BadParameter("split", error.what());
  }
  detail::require_end(layout.schedule, given.buffers);
  return layout;
}

// How many stages there are on this many ranks. Throws Skip where parameters go with others, and Failure where there are
// not as many ranks as the case says that it has stages.
inline std::uint32_t stages_of(const Parameters& given, std::uint32_t ranks) {
  if (given.mode == Mode::simulate) {
    if (given.stages == 0)
      throw Skip("mode: simulate has to be told how many stages there would be; give it stages");
    const Parameters by_default;
    if (given.forward_cost == 0 && (given.backward_cost != 0 || given.optimizer_cost != 0 ||
                                    given.weight_share != by_default.weight_share))
      throw Skip(
          "backward_cost, weight_share and optimizer_cost go with forward_cost; without it all passes are measured");
    if (ranks != 1)
      throw Skip("mode: simulate is one rank that simulates all stages, and the case has " +
                 std::to_string(ranks));
    return given.stages;
  }
  if (given.forward_cost != 0 || given.backward_cost != 0 || given.transfer_cost != 0 ||
      given.optimizer_cost != 0 || given.weight_share != Parameters().weight_share)
    throw Skip("costs are given to mode: simulate alone; a run measures them");
  if (given.stages != 0 && given.stages != ranks) {
    const std::string stages = std::to_string(given.stages);
    throw Failure("stages: " + stages + " need a rank each, and the case has " + std::to_string(ranks) +
                  "; say ranks: " + stages + ", or mode: simulate");
  }
  return ranks;
}

// Throws Skip for what no machine holds, before sizes are counted in whole numbers that could be too small.
inline void require_countable(const Layout& layout, const std::string& memory = "host memory") {
  constexpr double kMost = 0x1p50;  // numbers
  double numbers = static_cast<double>(layout.batch) * static_cast<double>(layout.model.sequence);
  for (const model::Operation& operation : layout.model.operations) {
    const double rows = static_cast<double>(layout.batch) * static_cast<double>(layout.model.sequence);
    numbers += rows * static_cast<double>(operation.out) +
               rows * static_cast<double>(operation.heads) * static_cast<double>(layout.model.sequence);
  }
  if (numbers > kMost)
    throw Skip("needs more than 4 PiB of " + memory +
               " for the values of a step; smaller are batch, sequence, layers");
}

}  // namespace assay::plugins::pipeline
