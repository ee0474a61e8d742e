// SPDX-License-Identifier: Apache-2.0
//
// What the simulator says of a pipeline, from costs that were measured or given.
#pragma once

#include "lib/schedule/simulate.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/parameters.hpp"

#include <assay/group.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::pipeline {

// Costs of all stages, each measured on its rank, or all on one. `of_stage` gives those of a stage of this rank, and is
// asked for no other. All ranks call it.
template <class CostsOfStage>
schedule::Costs gather_costs(const Layout& layout, const CostsOfStage& of_stage, std::uint32_t buffers,
                             const Group& group) {
  const schedule::Schedule& schedule = layout.schedule;
  schedule::Costs costs = schedule::uniform_costs(schedule, 0, 0, 0);
  costs.buffers = buffers;
  // What one stage knows, all get to know.
  const auto share = [&](auto& value, std::uint32_t stage, const auto& measured) {
    const std::uint32_t owner = group.size() == 1 ? 0 : stage;
    if (group.rank() == owner) value = measured(of_stage(stage));
    group.broadcast(value, owner);
  };
  for (std::uint32_t part = 0; part < schedule.parts(); ++part) {
    const std::uint32_t stage = schedule.stage_of(part);
    share(costs.of_part[part], stage, [&](const auto& of) { return of.of_chunk(part / schedule.stages); });
    if (part + 1 == schedule.parts()) break;
    const std::uint32_t behind = schedule.stage_of(part + 1);
    const schedule::Channel on{part, part + 1}, back{part + 1, part};
    share(costs.activations[part].send, stage, [&](const auto& of) { return of.send(on); });
    share(costs.activations[part].receive, behind, [&](const auto& of) { return of.receive(on); });
    share(costs.gradients[part].send, behind, [&](const auto& of) { return of.send(back); });
    share(costs.gradients[part].receive, stage, [&](const auto& of) { return of.receive(back); });
  }
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage)
    share(costs.optimizer[stage], stage, [&](const auto& of) { return of.update(); });
  return costs;
}

// Costs by the layer, as a suite gives them.
inline schedule::Costs given_costs(const Parameters& given, const Layout& layout) {
  const schedule::Schedule& schedule = layout.schedule;
  schedule::Costs costs = schedule::uniform_costs(schedule, 0, 0, 0);
  costs.buffers = given.buffers;
  const double backward = given.backward_cost > 0 ? given.backward_cost : 2 * given.forward_cost;
  for (std::uint32_t part = 0; part < schedule.parts(); ++part) {
    const auto layers = static_cast<double>(layout.parts[part].layers);
    costs.of_part[part] = {
        layers * given.forward_cost, layers * backward, layers * backward * (1 - given.weight_share),
        layers * backward * given.weight_share, given.recompute ? layers * given.forward_cost : 0};
    costs.optimizer[schedule.stage_of(part)] += layers * given.optimizer_cost;
  }
  for (auto* transfers : {&costs.activations, &costs.gradients})
    for (schedule::TransferCosts& transfer : *transfers) transfer.travel = given.transfer_cost;
  return costs;
}

}  // namespace assay::plugins::pipeline
