// SPDX-License-Identifier: Apache-2.0
#include "pipeline/stage_map.hpp"

#include "lib/available_memory.hpp"
#include "lib/model/cuda_inputs.hpp"
#include "lib/model/cuda_network.hpp"
#include "lib/model/cuda_optimizer.hpp"
#include "lib/model/cuda_products.hpp"
#include "lib/schedule/schedule.hpp"
#include "pipeline/tag.hpp"

#include <algorithm>
#include <utility>

namespace assay::plugins::pipeline {
namespace {

constexpr std::uint64_t kGrain = 256, kPiece = std::uint64_t{2} << 20;

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t grain) {
  return (bytes + grain - 1) / grain * grain;
}

}  // namespace

std::uint64_t DeviceStageBytes::total() const {
  return rounded_up(
      parameters + gradients + state + copy + in_flight + passing + workspace + messages + inputs, kPiece);
}

std::string DeviceStageBytes::formula() const {
  std::string text = "parameters " + memory_text(parameters) + ", gradients " + memory_text(gradients);
  if (copy != 0) text += ", parameters in the type of products " + memory_text(copy);
  if (state != 0) text += ", optimiser " + memory_text(state);
  text += ", activations in flight " + memory_text(in_flight) + ", values of a pass " + memory_text(passing) +
          ", workspace of products " + memory_text(workspace);
  if (messages != 0) text += ", messages " + memory_text(messages);
  return text + ", inputs " + memory_text(inputs);
}

std::uint32_t message_slots(const Layout& layout, std::uint32_t buffers) {
  return std::clamp(buffers, 1U, layout.schedule.micro_batches);
}

StageMap::StageMap(const Layout& layout, std::uint32_t stage, const DeviceOptions& options)
    : stage_(stage), program_(schedule::make_program(layout.schedule)[stage]) {
  for (std::uint32_t chunk = 0; chunk < layout.schedule.chunks; ++chunk) plan_chunk(layout, options, chunk);
  std::size_t passing = 0;
  for (const Chunk& chunk : chunks_) passing = std::max(passing, chunk.plan.passing_bytes);
  passing_ = take(bytes_.passing, passing);
  workspace_ = take(bytes_.workspace, model::device::kWorkspaceBytes);
  plan_inputs(layout, options);
  plan_messages(layout, options);
}

std::size_t StageMap::take(std::uint64_t& category, std::size_t bytes) {
  const std::size_t here = end_;
  const std::uint64_t whole = rounded_up(bytes, kGrain);
  end_ += whole;
  category += whole;
  return here;
}

void StageMap::plan_chunk(const Layout& layout, const DeviceOptions& options, std::uint32_t chunk) {
  const schedule::Holding holding = schedule::holdings_of(layout.schedule)[stage_];
  const std::uint32_t number = layout.schedule.part(stage_, chunk);
  const model::Model& part = layout.parts[number].model;
  const model::NumberBytes numbers = model::bytes_of(options.arithmetic);
  Chunk of{number,
           model::make_cuda_plan(part, layout.micro_batch, numbers, options.fused, model::InFlight::several),
           model::TensorPlaces(part)};
  const std::size_t array = of.places.size() * numbers.parameter;
  of.parameters = take(bytes_.parameters, array);
  of.gradients = take(bytes_.gradients, array);
  if (options.optimizer == model::Optimizer::adamw) {
    of.first_moments = take(bytes_.state, array);
    of.second_moments = take(bytes_.state, array);
  }
  if (numbers.copies_parameters()) of.copy = take(bytes_.copy, of.places.size() * numbers.compute);
  of.received_bytes = model::received_bytes(part, of.plan, numbers);
  of.result_bytes = model::result_bytes(part, of.plan, numbers);
  const std::uint32_t sets = options.recompute ? holding.pending[chunk] : holding.of_chunk[chunk];
  for (std::uint32_t set = 0; set < sets; ++set)
    of.kept.push_back(take(bytes_.in_flight, of.plan.arena_bytes));
  if (options.recompute) {
    for (std::uint32_t set = 0; number > 0 && set < holding.of_chunk[chunk]; ++set)
      of.received.push_back(take(bytes_.in_flight, of.received_bytes));
    of.given_gradient = take(bytes_.passing, of.result_bytes);
  }
  chunks_.push_back(std::move(of));
}

void StageMap::plan_inputs(const Layout& layout, const DeviceOptions& options) {
  std::uint64_t& inputs = bytes_.inputs;
  step_count_ = take(inputs, sizeof(model::StepCount));
  inputs_state_ = take(inputs, sizeof(model::StepState));
  loss_ = take(inputs, sizeof(double));
  turns_ = take(inputs, model::turns_of(layout.model) * sizeof(float));
  const std::size_t rows = layout.batch * layout.model.sequence;
  for (const Chunk& chunk : chunks_) {
    if (chunk.part == 0 && layout.model.reads_tokens()) tokens_ = take(inputs, rows * sizeof(std::int32_t));
    if (chunk.part == 0 && !layout.model.reads_tokens())
      features_ = take(
          inputs, rows * layout.model.operations.front().out * model::bytes_of(options.arithmetic).compute);
    if (chunk.part + 1 == layout.schedule.parts())
      labels_ = take(inputs, layout.micro_batch * layout.model.labels() * sizeof(std::int32_t));
  }
}

void StageMap::plan_messages(const Layout& layout, const DeviceOptions& options) {
  std::uint64_t& messages = bytes_.messages;
  const std::uint32_t slots = message_slots(layout, options.buffers);
  std::size_t arrivals = 0;
  for (const schedule::Action& action : program_) {
    const Chunk& chunk = chunks_[action.operation.chunk];
    if (action.what == schedule::What::send && outboxes_.count(action.channel) == 0) {
      Outbox& box = outboxes_[action.channel];
      box.taken = take(messages, sizeof(std::uint64_t));
      box.sent = take(messages, sizeof(std::uint64_t));
    }
    if (action.what != schedule::What::receive) continue;
    ++arrivals;
    if (inboxes_.count(action.channel) != 0) continue;
    Inbox& box = inboxes_[action.channel];
    box.bytes = action.channel.is_forward() ? chunk.received_bytes : chunk.result_bytes;
    box.sent = take(messages, sizeof(std::uint64_t));
    box.taken = take(messages, sizeof(std::uint64_t));
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      box.tags.push_back(take(messages, sizeof(Tag)));
      box.data.push_back(take(messages, box.bytes));
    }
  }
  arrivals_ = take(messages, arrivals * sizeof(Tag));
}

std::vector<StageMap> maps_of(const Layout& layout, const DeviceOptions& options) {
  std::vector<StageMap> maps;
  for (std::uint32_t stage = 0; stage < layout.schedule.stages; ++stage)
    maps.emplace_back(layout, stage, options);
  return maps;
}

}  // namespace assay::plugins::pipeline
