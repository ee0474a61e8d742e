// SPDX-License-Identifier: Apache-2.0
#include "lib/schedule/schedule.hpp"

#include "lib/schedule/program.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace assay::plugins::schedule {
namespace {

using Operations = std::vector<Operation>;

Operations gpipe(std::uint32_t micro_batches) {
  Operations all;
  for (const Kind kind : {Kind::forward, Kind::backward})
    for (std::uint32_t micro = 0; micro < micro_batches; ++micro) all.push_back({kind, micro, 0});
  return all;
}

// Forward passes until the first gradient can be there, then one backward pass after each forward pass.
Operations one_f_one_b(std::uint32_t stages, std::uint32_t stage, std::uint32_t micro_batches) {
  Operations all;
  const std::uint32_t ahead = std::min(stages - stage - 1, micro_batches);
  for (std::uint32_t micro = 0; micro < ahead; ++micro) all.push_back({Kind::forward, micro, 0});
  for (std::uint32_t micro = 0; micro < micro_batches; ++micro) {
    if (ahead + micro < micro_batches) all.push_back({Kind::forward, ahead + micro, 0});
    all.push_back({Kind::backward, micro, 0});
  }
  return all;
}

// The same with the backward pass in two. A stage's weight gradients follow as many micro-batches later as there
// are stages before it: so every stage has as many micro-batches in flight as there are stages.
Operations zero_bubble(std::uint32_t stages, std::uint32_t stage, std::uint32_t micro_batches) {
  Operations all;
  const std::uint32_t ahead = std::min(stages - stage - 1, micro_batches);
  for (std::uint32_t micro = 0; micro < ahead; ++micro) all.push_back({Kind::forward, micro, 0});
  for (std::uint32_t micro = 0; micro < micro_batches; ++micro) {
    if (ahead + micro < micro_batches) all.push_back({Kind::forward, ahead + micro, 0});
    all.push_back({Kind::input_gradient, micro, 0});
    if (micro >= stage) all.push_back({Kind::weight_gradient, micro - stage, 0});
  }
  for (std::uint32_t micro = micro_batches - std::min(stage, micro_batches); micro < micro_batches; ++micro)
    all.push_back({Kind::weight_gradient, micro, 0});
  return all;
}

// Micro-batches go through in groups of as many as there are stages: a group through the first chunk, then
// through the second one, and so on.
Operations interleaved(std::uint32_t stages, std::uint32_t stage, std::uint32_t micro_batches,
                       std::uint32_t chunks) {
  const std::uint32_t all_passes = micro_batches * chunks, group = stages * chunks;
  const auto pass = [&](Kind kind, std::uint32_t i) {
    const std::uint32_t chunk = i % group / stages;
    return Operation{kind, i / group * stages + i % stages,
                     kind == Kind::forward ? chunk : chunks - 1 - chunk};
  };
  const std::uint32_t ahead = std::min(2 * (stages - stage - 1) + (chunks - 1) * stages, all_passes);
  Operations all;
  for (std::uint32_t i = 0; i < ahead; ++i) all.push_back(pass(Kind::forward, i));
  for (std::uint32_t i = 0; i < all_passes; ++i) {
    if (ahead + i < all_passes) all.push_back(pass(Kind::forward, ahead + i));
    all.push_back(pass(Kind::backward, i));
  }
  return all;
}

void require(bool holds, const std::string& text) {
  if (!holds) throw std::invalid_argument(text);
}

// What a micro-batch has been through on a stage, in one chunk.
struct Passes {
  bool forward = false, input = false, weight = false;
};

std::string problem_of_stage(const Schedule& schedule, std::uint32_t stage) {
  const std::string where = "stage " + std::to_string(stage) + ": ";
  std::map<std::pair<std::uint32_t, std::uint32_t>, Passes> seen;
  for (const Operation& operation : schedule.of_stage[stage]) {
    const std::string what = where + text_of(operation, schedule.chunks);
    if (operation.micro_batch >= schedule.micro_batches || operation.chunk >= schedule.chunks)
      return what + ": there is no such micro-batch or chunk";
    Passes& passes = seen[{operation.micro_batch, operation.chunk}];
    const bool forward = operation.kind == Kind::forward, weight = operation.kind == Kind::weight_gradient;
    if (forward ? passes.forward : weight ? passes.weight : passes.input) return what + " comes twice";
    if (!forward && !passes.forward) return what + " comes before its forward pass";
    if (weight && !passes.input) return what + " comes before its input gradient";
    if (forward) passes.forward = true;
    if (weight || operation.kind == Kind::backward) passes.weight = true;
    if (!forward && !weight) passes.input = true;
  }
  for (std::uint32_t chunk = 0; chunk < schedule.chunks; ++chunk) {
    for (std::uint32_t micro = 0; micro < schedule.micro_batches; ++micro) {
      const Passes passes = seen[{micro, chunk}];
      if (passes.forward && passes.input && passes.weight) continue;
      const Kind missing = !passes.forward ? Kind::forward
                           : !passes.input ? Kind::backward
                                           : Kind::weight_gradient;
      return where + "there is no " + text_of({missing, micro, chunk}, schedule.chunks);
    }
  }
  return {};
}

// Neighbours hand over one after the other.
std::string problem_of_order(const Schedule& schedule) {
  std::map<Channel, std::vector<std::uint32_t>> sent, taken;
  for (const std::vector<Action>& stage : make_program(schedule)) {
    for (const Action& action : stage) {
      if (action.what == What::send) sent[action.channel].push_back(action.operation.micro_batch);
      if (action.what == What::receive) taken[action.channel].push_back(action.operation.micro_batch);
    }
  }
  for (const auto& [channel, order] : sent) {
    const std::vector<std::uint32_t>& wanted = taken[channel];
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] == wanted[i]) continue;
      return "part " + std::to_string(channel.from) + " hands over micro-batch " + std::to_string(order[i]) +
             " where part " + std::to_string(channel.to) + " wants micro-batch " + std::to_string(wanted[i]);
    }
  }
  return {};
}

}  // namespace

Schedule make_schedule(Style style, std::uint32_t stages, std::uint32_t micro_batches, std::uint32_t chunks) {
  require(stages > 0 && micro_batches > 0 && chunks > 0,
          "stages, micro-batches and chunks have to be above 0");
  if (style == Style::interleaved) {
    require(chunks > 1, "an interleaved schedule has 2 chunks of the model on each stage, or more");
    require(stages > 1, "an interleaved schedule has 2 stages or more");
    require(micro_batches % stages == 0,
            std::to_string(micro_batches) + " micro-batches are not a multiple of " + std::to_string(stages) +
                " stages, as an interleaved schedule needs");
  } else {
    require(chunks == 1, "only an interleaved schedule has several chunks of the model on a stage");
  }
  Schedule schedule{stages, micro_batches, chunks, {}};
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    switch (style) {
      case Style::gpipe:
        schedule.of_stage.push_back(gpipe(micro_batches));
        break;
      case Style::one_f_one_b:
        schedule.of_stage.push_back(one_f_one_b(stages, stage, micro_batches));
        break;
      case Style::interleaved:
        schedule.of_stage.push_back(interleaved(stages, stage, micro_batches, chunks));
        break;
      case Style::zero_bubble:
        schedule.of_stage.push_back(zero_bubble(stages, stage, micro_batches));
        break;
    }
  }
  return schedule;
}

std::string problem_of(const Schedule& schedule) {
  if (schedule.of_stage.size() != schedule.stages) return "there is no list of operations for every stage";
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    if (std::string problem = problem_of_stage(schedule, stage); !problem.empty()) return problem;
  }
  return problem_of_order(schedule);
}

std::vector<Holding> holdings_of(const Schedule& schedule) {
  std::vector<Holding> all;
  for (const Operations& operations : schedule.of_stage) {
    Holding most{0, std::vector<std::uint32_t>(schedule.chunks), std::vector<std::uint32_t>(schedule.chunks)};
    Holding now = most;
    for (const Operation& operation : operations) {
      std::uint32_t& held = now.of_chunk[operation.chunk];
      std::uint32_t& pending = now.pending[operation.chunk];
      if (operation.kind == Kind::forward) ++held, ++now.in_flight;
      const std::uint32_t working = operation.kind == Kind::weight_gradient ? 0 : 1;
      most.in_flight = std::max(most.in_flight, now.in_flight);
      most.of_chunk[operation.chunk] = std::max(most.of_chunk[operation.chunk], held);
      most.pending[operation.chunk] = std::max(most.pending[operation.chunk], pending + working);
      if (operation.kind == Kind::input_gradient) ++pending;
      if (operation.kind == Kind::weight_gradient) --pending;
      if (operation.kind == Kind::weight_gradient || operation.kind == Kind::backward)
        --held, --now.in_flight;
    }
    all.push_back(most);
  }
  return all;
}

std::string text_of(const Operation& operation, std::uint32_t chunks) {
  const char* const names[] = {"forward pass", "backward pass", "input gradient", "weight gradient"};
  std::string text = std::string(names[static_cast<std::size_t>(operation.kind)]) + " of micro-batch " +
                     std::to_string(operation.micro_batch);
  if (chunks > 1) text += ", chunk " + std::to_string(operation.chunk);
  return text;
}

}  // namespace assay::plugins::schedule
