// SPDX-License-Identifier: Apache-2.0
//
// One stage of a pipeline on the host: it follows the schedule's program, on its parts of the model.
#pragma once

#include "lib/model/host_workers.hpp"
#include "lib/model/inputs.hpp"
#include "lib/schedule/program.hpp"
#include "pipeline/channels.hpp"
#include "pipeline/chunk.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/passage.hpp"
#include "pipeline/stage_sizes.hpp"
#include "pipeline/step_board.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace assay::plugins::pipeline {

// One at a time; all calls from one thread. Arguments outlive it.
class Stage {
 public:
  using Clock = std::function<std::int64_t()>;

  struct Event {
    schedule::Action action;
    std::int64_t begin_ns = 0, end_ns = 0;  // without what it waited for
  };

  Stage(const Layout& layout, std::uint32_t number, const StageOptions& options, const Allocate& allocate,
        model::HostWorkers& workers, Clock now_ns)
      : layout_(layout),
        number_(number),
        sizes_(sizes_of(layout, number, options)),
        program_(schedule::make_program(layout.schedule)[number]),
        inputs_(layout.model, 0),
        now_ns_(std::move(now_ns)) {
    float* const workspace = allocate(sizes_.workspace);
    float* const scratch = allocate(sizes_.scratch);
    features_ = allocate(sizes_.features);
    tokens_ = reinterpret_cast<std::int32_t*>(allocate(sizes_.tokens));
    labels_ = reinterpret_cast<std::int32_t*>(allocate(sizes_.labels));
    for (std::uint32_t chunk = 0; chunk < layout.schedule.chunks; ++chunk)
      chunks_.push_back(std::make_unique<Chunk>(layout, layout.schedule.part(number, chunk),
                                                sizes_.of_chunk[chunk], options, allocate, workspace, scratch,
                                                workers));
    events_.reserve(program_.size());
    arrivals_.reserve(program_.size());
  }

  // Parameters, samples and the optimiser's state are as the seed says; gradients are not numbers.
  void restore(std::uint64_t seed) {
    inputs_ = model::StepInputs(layout_.model, seed);
    steps_ = 0;
    for (const auto& chunk : chunks_) chunk->restore(inputs_);
    if (number_ == 0) draw_samples();
  }
  void destroy_gradients() {
    for (const auto& chunk : chunks_) chunk->destroy_gradients();
  }

  // One step by the schedule, then the update. Throws Cancelled.
  StageRecord run(Channels& channels) {
    StageRecord record;
    record.begin_ns = now_ns_();
    events_.clear();
    arrivals_.clear();
    for (const auto& chunk : chunks_) chunk->begin_step();
    for (const schedule::Action& action : program_) {
      const std::int64_t seconds = perform(action, channels, record.loss);
      (action.what == schedule::What::compute ? record.busy_ns : record.transfer_ns) += seconds;
    }
    const std::int64_t begin = now_ns_();
    ++steps_;
    update();
    record.end_ns = now_ns_();
    record.busy_ns += record.end_ns - begin;
    return record;
  }

  // Computes an operation alone, for whatever its memory holds: what it takes is what it takes in a step.
  void compute(const schedule::Operation& operation, double& loss) {
    Chunk& chunk = *chunks_[operation.chunk];
    const model::HostBatch batch = batch_of(operation);
    const double share = 1 / static_cast<double>(layout_.schedule.micro_batches);
    switch (operation.kind) {
      case schedule::Kind::forward:
        return chunk.forward(operation.micro_batch, batch);
      case schedule::Kind::backward:
        return chunk.backward(operation.micro_batch, batch, share, loss);
      case schedule::Kind::input_gradient:
        return chunk.input_gradient(operation.micro_batch, batch, share, loss);
      case schedule::Kind::weight_gradient:
        return chunk.weight_gradient(operation.micro_batch, batch);
    }
  }
  void update() {
    for (const auto& chunk : chunks_) chunk->update(steps_ > 0 ? steps_ : 1);
  }

  const Layout& layout() const { return layout_; }
  std::uint32_t number() const { return number_; }
  const StageSizes& sizes() const { return sizes_; }
  const std::vector<schedule::Action>& program() const { return program_; }
  const std::vector<std::unique_ptr<Chunk>>& chunks() const { return chunks_; }
  const model::StepInputs& inputs() const { return inputs_; }
  // Since restore().
  std::uint64_t steps() const { return steps_; }
  // Of the last step.
  const std::vector<Event>& events() const { return events_; }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  Passage passage() const {
    Passage passed{number_, steps_ - 1, {}, arrivals_};
    for (const Event& event : events_)
      if (event.action.what == schedule::What::compute) passed.computed.push_back(event.action.operation);
    return passed;
  }

 private:
  // Returns how long it took, without what it waited for.
  std::int64_t perform(const schedule::Action& action, Channels& channels, double& loss) {
    std::int64_t begin = 0, end = 0;
    Chunk& chunk = *chunks_[action.operation.chunk];
    const bool forward = action.operation.kind == schedule::Kind::forward;
    const std::uint32_t micro = action.operation.micro_batch;
    switch (action.what) {
      case schedule::What::compute:
        begin = now_ns_();
        compute(action.operation, loss);
        end = now_ns_();
        break;
      case schedule::What::receive: {
        channels.wait_for_message(action.channel);
        begin = now_ns_();
        float* to = forward ? chunk.place_for(micro) : chunk.place_for_gradient(micro);
        arrivals_.push_back({action, channels.receive(action.channel, to)});
        end = now_ns_();
        break;
      }
      case schedule::What::send: {
        channels.wait_for_buffer(action.channel);
        begin = now_ns_();
        const float* from = forward ? chunk.result() : chunk.received_gradient();
        channels.send(action.channel, {steps_, micro, chunk.number()}, from);
        end = now_ns_();
        channels.wait_until_received(action.channel);
        break;
      }
    }
    events_.push_back({action, begin, end});
    return end - begin;
  }

  model::HostBatch batch_of(const schedule::Operation& operation) {
    const Chunk& chunk = *chunks_[operation.chunk];
    const std::size_t row = operation.micro_batch * layout_.micro_batch * layout_.model.sequence;
    const bool reads_tokens = layout_.model.reads_tokens();
    model::HostBatch batch;
    if (chunk.is_first() && reads_tokens) batch.tokens = tokens_ + row;
    if (chunk.is_first() && !reads_tokens)
      batch.features = features_ + row * layout_.model.operations.front().out;
    if (chunk.is_last()) {
      const bool computes_loss =
          operation.kind == schedule::Kind::backward || operation.kind == schedule::Kind::input_gradient;
      if (computes_loss) draw_labels(operation.micro_batch);
      batch.labels = labels_;
    }
    return batch;
  }

  void draw_samples() {
    const std::size_t count = sizes_.tokens + sizes_.features;
    for (std::size_t i = 0; i < count; ++i) {
      if (layout_.model.reads_tokens()) {
        tokens_[i] = inputs_.token(i);
      } else {
        features_[i] = inputs_.feature(i);
      }
    }
  }

  void draw_labels(std::uint32_t micro) {
    const std::size_t count = layout_.micro_batch * layout_.model.labels();
    for (std::size_t i = 0; i < count; ++i) labels_[i] = inputs_.label(steps_, micro * count + i);
  }

  const Layout& layout_;
  const std::uint32_t number_;
  const StageSizes sizes_;
  const std::vector<schedule::Action> program_;
  model::StepInputs inputs_;
  Clock now_ns_;
  float* features_ = nullptr;
  std::int32_t *tokens_ = nullptr, *labels_ = nullptr;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::uint64_t steps_ = 0;
  std::vector<Event> events_;
  std::vector<Arrival> arrivals_;
};

}  // namespace assay::plugins::pipeline
