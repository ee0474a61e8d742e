// SPDX-License-Identifier: Apache-2.0
#include "pipeline/device_pipeline.hpp"

#include "lib/schedule/simulate.hpp"
#include "pipeline/device_step_check.hpp"
#include "pipeline/prediction.hpp"

#include <assay/cuda/error.hpp>
#include <assay/errors.hpp>

#include <algorithm>

namespace assay::plugins::pipeline {

DevicePipeline::DevicePipeline(const DevicePlace& place, const Layout& layout, const DeviceOptions& options,
                               bool graph)
    : place_(place),
      layout_(layout),
      options_(options),
      graph_wanted_(graph),
      maps_(maps_of(layout, options)) {
  const Group& group = place_.group;
  if (!has_all_stages()) {
    const std::size_t board = StepBoard::bytes(group.size());
    shared_.emplace(group, board + group.size() * sizeof(RankProgress));
    abort_.emplace(place_.run);
    board_.emplace(shared_->data(), group.rank(), group.size(), false,
                   [this] { return place_.run.cancelled(); });
  }
  if (has_all_stages()) {
    for (std::uint32_t number = 0; number < maps_.size(); ++number) make_stage(number);
  } else {
    make_stage(group.rank());
  }
  const std::uint32_t slots = message_slots(layout_, options_.buffers);
  const bool waits = options_.buffers == 0;
  if (has_all_stages()) {
    messages_ = make_event_messages(maps_, memories_, slots, waits);
  } else {
    auto* const closed = reinterpret_cast<RankProgress*>(shared_->data() + StepBoard::bytes(group.size()));
    peers_.emplace(place_.run, group, place_.device, buffers_.front().data(), closed);
    memories_ = peers_->all();
    messages_ = make_flag_messages(maps_, memories_, slots, waits, abort_->word());
  }
  const std::size_t here = stages_.size();
  busy_.resize(here);
  busy_ns_.resize(here);
  transfer_ns_.resize(here);
  for (std::size_t i = 0; i < here; ++i) costs_.emplace_back(layout_.schedule.chunks);
  say_facts();
}

// Costs are those of later steps.
void DevicePipeline::start() {
  restore();
  step();
  if (!graph_wanted_) return;
  // What is captured does not happen: no other stage is told of it.
  graph_ = cuda::Graph::capture(stages_.front()->stream(), [this] { queue(); });
  step();
}

DevicePipeline::~DevicePipeline() {
  // Whoever waits on the device for another stage goes on, so that the memory can go.
  if (abort_) abort_->give_up();
  for (const auto& stage : stages_) cudaStreamSynchronize(stage->stream());
  cudaGetLastError();
  graph_.reset();
  stages_.clear();
  messages_.reset();
  peers_.reset();
}

cudaStream_t DevicePipeline::stream_of(std::size_t stage) {
  if (place_.partitions != nullptr) return place_.partitions->streams().at(stage);
  if (maps_.size() == 1 || !has_all_stages()) return place_.stream;
  return own_streams_.emplace_back();
}

void DevicePipeline::make_stage(std::uint32_t number) {
  place_.device.make_current();
  const std::size_t before = place_.device.memory().free_bytes;
  const std::uint64_t bytes = maps_[number].bytes().total();
  std::byte* const memory = buffers_.emplace_back(place_.device, bytes).data();
  const cudaStream_t stream = stream_of(number);
  ASSAY_CUDA_CHECK(cudaMemsetAsync(memory, 0, bytes, stream));
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  memories_.push_back(memory);
  stages_.push_back(std::make_unique<DeviceStage>(place_.handle, layout_, options_, maps_[number], memory,
                                                  place_.fused, stream));
  const std::size_t after = place_.device.memory().free_bytes;
  taken_.push_back(before > after ? static_cast<double>(before - after) : 0.0);
}

void DevicePipeline::restore() {
  for (const auto& stage : stages_) stage->restore(place_.run.seed());
  for (const auto& stage : stages_) cuda::wait(place_.run, stage->stream());
}

void DevicePipeline::destroy_gradients() {
  for (const auto& stage : stages_) stage->destroy_gradients();
  for (const auto& stage : stages_) cuda::wait(place_.run, stage->stream());
}

// An action of each stage in turn: none of them waits for the host to be done with another.
void DevicePipeline::queue() {
  messages_->begin_step();
  for (const auto& stage : stages_) stage->begin();
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& stage : stages_)
      if (stage->go_on(*messages_)) moved = true;
  }
  for (const auto& stage : stages_)
    if (!stage->is_done()) throw std::logic_error("the stages of a step wait for each other");
}

void DevicePipeline::queue_or_launch() {
  if (graph_) {
    graph_->launch(stages_.front()->stream());
  } else {
    queue();
  }
}

void DevicePipeline::wait_for_stages() const {
  for (const auto& stage : stages_) cuda::wait(place_.run, stage->end());
}

StageRecord DevicePipeline::record_of(const DeviceStage& stage, std::int64_t begin_ns,
                                      std::int64_t end_ns) const {
  StageRecord record;
  record.begin_ns = begin_ns;
  record.end_ns = end_ns;
  record.busy_ns = stage.update_ns();
  for (const DeviceEvent& event : stage.events())
    (event.action.what == schedule::What::compute ? record.busy_ns : record.transfer_ns) += event.took_ns();
  record.loss = stage.loss();
  return record;
}

StepRecord DevicePipeline::step() {
  const std::int64_t begin_ns = place_.run.now_ns();
  queue_or_launch();
  wait_for_stages();
  last_end_ns_ = place_.run.now_ns();
  mine_.clear();
  for (const auto& stage : stages_) mine_.push_back(record_of(*stage, begin_ns, last_end_ns_));
  last_ = step_of(has_all_stages() ? mine_ : board_->finish(mine_.front()));
  return last_;
}

void DevicePipeline::keep() {
  steps_.add(last_.seconds);
  bubbles_.add(last_.bubble);
  for (std::size_t i = 0; i < mine_.size(); ++i) {
    busy_[i].add(static_cast<double>(mine_[i].busy_ns) * 1e-9);
    busy_ns_[i] += mine_[i].busy_ns;
    transfer_ns_[i] += mine_[i].transfer_ns;
  }
  ++kept_;
}

std::vector<DevicePipeline::Span> DevicePipeline::spans() const {
  std::vector<Span> all;
  // The stages' last events lie at different times, and the host has seen the last of them.
  const DeviceStage* latest = stages_.front().get();
  for (const auto& stage : stages_) {
    float behind_ms = 0;
    ASSAY_CUDA_CHECK(cudaEventElapsedTime(&behind_ms, latest->end(), stage->end()));
    if (behind_ms > 0) latest = stage.get();
  }
  for (const auto& stage : stages_) {
    const auto early_ns = static_cast<std::int64_t>(cuda::seconds_between(stage->end(), latest->end()) * 1e9);
    const std::int64_t end_ns = last_end_ns_ - early_ns;
    for (const DeviceEvent& event : stage->events())
      all.push_back({stage->number(), event.action, end_ns - event.begin_ns, end_ns - event.end_ns});
  }
  return all;
}

double DevicePipeline::seconds_of_a_step(std::int64_t all_ns) const {
  return static_cast<double>(all_ns) * 1e-9 / static_cast<double>(std::max<std::int64_t>(1, kept_));
}

void DevicePipeline::record() {
  const Case& run = place_.run;
  run.value("bubble", bubbles_.median());
  std::vector<double> busy;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    run.value("stage_busy_time", stages_[i]->number(), seconds_of_a_step(busy_ns_[i]));
    run.value("transfer_exposed", stages_[i]->number(), seconds_of_a_step(transfer_ns_[i]));
    busy.push_back(busy_[i].median());
    busy_ns_[i] = transfer_ns_[i] = 0;
  }
  run.value("stage_busy_cv", variation_of(has_all_stages() ? busy : place_.group.allgather(busy.front())));
  kept_ = 0;
}

// Stages of one GPU make their passes side by side, as in a step, because they share its memory, caches and
// power. A stage with a GPU of its own runs its passes alone.
void DevicePipeline::measure_passes() {
  constexpr int kLeastRounds = 5, kMostRounds = 50;
  constexpr std::int64_t kEnough_ns = 100'000'000;
  const std::int64_t begin_ns = place_.run.now_ns();
  // The first one brings clocks and caches to where a step has them.
  for (int round = 0;
       round < kMostRounds && (round < kLeastRounds || place_.run.now_ns() - begin_ns < kEnough_ns);
       ++round) {
    for (const auto& stage : stages_) stage->queue_alone(*messages_);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      cuda::wait(place_.run, stages_[i]->end());
      if (round > 0) costs_[i].add(*stages_[i]);
    }
  }
}

void DevicePipeline::measure_costs() {
  const Group& group = place_.group;
  for (std::uint32_t turn = 0; turn < group.size(); ++turn) {
    if (turn == group.rank()) measure_passes();
    group.barrier();
  }
  const schedule::Costs costs = gather_costs(
      layout_,
      [this](std::uint32_t stage) -> const DeviceCosts& { return costs_[has_all_stages() ? stage : 0]; },
      options_.buffers, group);
  if (!is_predictable()) return;
  const schedule::Simulation seen = schedule::simulate(layout_.schedule, costs);
  place_.run.value("predicted_step_time", seen.makespan);
  place_.run.value("predicted_bubble", seen.bubble());
  if (!steps_.empty()) place_.run.value("prediction_error", steps_.median() / seen.makespan - 1);
}

void DevicePipeline::verify(Verification& seen) const {
  seen.method(
      "tags of messages, differences of the whole model's loss in double precision on the GPU, updates by formula");
  DeviceStepCheck(
      {place_.run, place_.group, place_.device, place_.handle, layout_, options_, maps_, memories_, stages_})
      .check(place_.stream, last_.loss, seen);
}

void DevicePipeline::say_facts() const {
  const Case& run = place_.run;
  const Group& group = place_.group;
  std::string split, formula;
  for (const model::Part& part : layout_.parts)
    split += (split.empty() ? "" : "-") + std::to_string(part.layers);
  for (const StageMap& map : maps_)
    formula += (formula.empty() ? "stage " : "; stage ") + std::to_string(map.stage()) + ": " +
               map.bytes().formula();
  run.fact("split", split);
  run.fact("parameters", std::to_string(layout_.model.parameters()));
  run.fact("memory_formula", formula);
  run.fact("library", "cuBLASLt " + cublaslt::version());
  run.fact("transfers", has_all_stages()
                            ? "copies on the GPU, told of by events"
                            : "copies into the neighbour's memory (CUDA IPC), told of by counts there");
  const auto holdings = schedule::holdings_of(layout_.schedule);
  for (const auto& stage : stages_) {
    const std::uint32_t number = stage->number();
    run.value("predicted_stage_memory", number, static_cast<double>(maps_[number].bytes().total()));
    run.value("micro_batches_in_flight", number, holdings[number].in_flight);
  }
  // Other programs may have given memory back meanwhile.
  const std::vector<double> taken = has_all_stages() ? taken_ : group.allgather(taken_.front());
  if (std::find(taken.begin(), taken.end(), 0.0) != taken.end()) return;
  for (std::size_t i = 0; i < stages_.size(); ++i) run.value("stage_memory", stages_[i]->number(), taken_[i]);
  run.value("stage_memory_cv", variation_of(taken));
}

}  // namespace assay::plugins::pipeline
