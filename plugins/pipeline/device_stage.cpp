// SPDX-License-Identifier: Apache-2.0
#include "pipeline/device_stage.hpp"

#include <assay/cuda/error.hpp>

#include <cmath>

namespace assay::plugins::pipeline {

DeviceStage::DeviceStage(const cublaslt::Handle& handle, const Layout& layout, const DeviceOptions& options,
                         const StageMap& map, std::byte* memory, model::FusedAttention* fused,
                         cudaStream_t stream)
    : layout_(layout),
      options_(options),
      map_(map),
      memory_(memory),
      stream_(stream),
      events_(2 * (map.program().size() + 1)) {
  for (std::uint32_t chunk = 0; chunk < layout.schedule.chunks; ++chunk)
    chunks_.push_back(std::make_unique<DeviceChunk>(handle, layout, options, map, chunk, memory, fused));
}

template <class Value>
Value DeviceStage::value_at(const Value* there) const {
  Value value{};
  ASSAY_CUDA_CHECK(cudaMemcpyAsync(&value, there, sizeof(value), cudaMemcpyDeviceToHost, stream_));
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream_));
  return value;
}

void DeviceStage::restore(std::uint64_t seed) {
  model::write_state(stream_, {seed}, at<model::StepState>(map_.inputs_state()));
  ASSAY_CUDA_CHECK(cudaMemsetAsync(memory_ + map_.step_count(), 0, sizeof(model::StepCount), stream_));
  ASSAY_CUDA_CHECK(cudaMemsetAsync(memory_ + map_.loss(), 0, sizeof(double), stream_));
  for (const auto& chunk : chunks_) chunk->restore(stream_, seed);
  if (number() == 0) draw_samples(seed);
}

void DeviceStage::destroy_gradients() const {
  for (const auto& chunk : chunks_) chunk->destroy_gradients(stream_);
}

void DeviceStage::draw_samples(std::uint64_t seed) const {
  const model::DeviceInputs inputs = chunks_.front()->inputs(seed);
  const std::size_t rows = layout_.batch * layout_.model.sequence;
  if (layout_.model.reads_tokens()) {
    model::draw_tokens(stream_, inputs, 0, rows, at<std::int32_t>(map_.tokens()));
  } else {
    model::draw_rounded_features(stream_, inputs, 0, rows * layout_.model.operations.front().out,
                                 memory_ + map_.features());
  }
}

void DeviceStage::begin() {
  next_ = 0;
  arrived_ = 0;
  awaits_ = adds_loss_ = false;
  messages_.clear();
  computed_.clear();
  for (const auto& chunk : chunks_) chunk->begin_step();
  model::begin_step(stream_, model::AdamW(), at<model::StepCount>(map_.step_count()));
}

MessageAt DeviceStage::message_of(const schedule::Action& action) {
  return {action.channel, messages_[action.channel]};
}

std::byte* DeviceStage::next_arrival() { return memory_ + map_.arrivals() + sizeof(Tag) * arrived_++; }

void* DeviceStage::place_for(const schedule::Action& action) const {
  DeviceChunk& chunk = *chunks_[action.operation.chunk];
  return action.channel.is_forward() ? chunk.place_for(action.operation.micro_batch)
                                     : chunk.place_for_gradient(action.operation.micro_batch);
}

const void* DeviceStage::made_by(const schedule::Action& action) const {
  const DeviceChunk& chunk = *chunks_[action.operation.chunk];
  return action.channel.is_forward() ? chunk.result() : chunk.received_gradient();
}

bool DeviceStage::go_on(DeviceMessages& messages) {
  if (next_ == program().size()) {
    finish();
    return true;
  }
  if (is_done()) return false;
  const schedule::Action& action = program()[next_];
  const std::uint32_t micro = action.operation.micro_batch;
  const MessageAt at = action.what == schedule::What::compute ? MessageAt() : message_of(action);
  switch (action.what) {
    case schedule::What::compute:
      begin_of(next_).record_anywhere(stream_);
      compute(action.operation);
      break;
    case schedule::What::receive:
      if (!messages.may_receive(at)) return false;
      messages.wait_for_message(stream_, at);
      begin_of(next_).record_anywhere(stream_);
      messages.receive(stream_, at, place_for(action), next_arrival());
      break;
    case schedule::What::send:
      if (!awaits_) {
        if (!messages.may_send(at)) return false;
        messages.wait_for_buffer(stream_, at);
        begin_of(next_).record_anywhere(stream_);
        messages.send(stream_, at, micro, step_number(), made_by(action));
        end_of(next_).record_anywhere(stream_);
        awaits_ = true;
        if (!messages.may_go_on(at)) return true;
      }
      if (!messages.may_go_on(at)) return false;
      awaits_ = false;
      messages.wait_until_received(stream_, at);
      break;
  }
  if (action.what != schedule::What::send) end_of(next_).record_anywhere(stream_);
  if (action.what != schedule::What::compute) ++messages_[action.channel];
  ++next_;
  return true;
}

void DeviceStage::queue_alone(const DeviceMessages& messages) {
  begin();
  for (; next_ < program().size(); ++next_) {
    const schedule::Action& action = program()[next_];
    begin_of(next_).record(stream_);
    switch (action.what) {
      case schedule::What::compute:
        compute(action.operation);
        break;
      case schedule::What::receive:
        messages.try_receive(stream_, message_of(action), place_for(action), next_arrival());
        break;
      case schedule::What::send:
        messages.try_send(stream_, message_of(action), action.operation.micro_batch, step_number(),
                          made_by(action));
        break;
    }
    end_of(next_).record(stream_);
    if (action.what != schedule::What::compute) ++messages_[action.channel];
  }
  finish();
}

void DeviceStage::finish() {
  begin_of(program().size()).record_anywhere(stream_);
  for (const auto& chunk : chunks_) chunk->update(stream_);
  end_of(program().size()).record_anywhere(stream_);
  next_ = program().size() + 1;
}

model::CudaBatch DeviceStage::batch_of(const schedule::Operation& operation) const {
  const DeviceChunk& chunk = *chunks_[operation.chunk];
  const std::size_t row = operation.micro_batch * layout_.micro_batch * layout_.model.sequence;
  model::CudaBatch batch;
  if (chunk.is_first() && layout_.model.reads_tokens()) {
    batch.tokens = at<std::int32_t>(map_.tokens()) + row;
  } else if (chunk.is_first()) {
    batch.features =
        memory_ + map_.features() +
        row * layout_.model.operations.front().out * model::bytes_of(options_.arithmetic).compute;
  }
  if (chunk.is_last()) batch.labels = at<std::int32_t>(map_.labels());
  return batch;
}

void DeviceStage::compute(const schedule::Operation& operation) {
  computed_.push_back(operation);
  DeviceChunk& chunk = *chunks_[operation.chunk];
  const bool forward = operation.kind == schedule::Kind::forward;
  // The loss, with the gradient of scores, is a part of the forward pass, also of one that is made again.
  if (chunk.is_last() && (forward || options_.recompute)) {
    const std::size_t labels = layout_.micro_batch * layout_.model.labels();
    model::draw_labels(stream_, inputs_state(), step_number(), operation.micro_batch * labels, labels,
                       layout_.model.classes(), at<std::int32_t>(map_.labels()));
  }
  double* const loss = at<double>(map_.loss());
  if (forward) {
    chunk.forward(stream_, operation.micro_batch, batch_of(operation), adds_loss_, loss);
    adds_loss_ = adds_loss_ || chunk.is_last();
  } else {
    // What a forward pass that is made again says of the loss goes beside it.
    chunk.backward(stream_, operation.micro_batch, batch_of(operation), loss + 1);
  }
}

std::vector<DeviceEvent> DeviceStage::events() const {
  const auto before_end = [this](const cuda::Event& event) {
    return std::llround(cuda::seconds_between(event, end()) * 1e9);
  };
  std::vector<DeviceEvent> all;
  for (std::size_t i = 0; i < program().size(); ++i)
    all.push_back({program()[i], before_end(begin_of(i)), before_end(end_of(i))});
  return all;
}

std::int64_t DeviceStage::update_ns() const {
  return std::llround(cuda::seconds_between(begin_of(program().size()), end()) * 1e9);
}

double DeviceStage::loss() const { return value_at(at<const double>(map_.loss())); }

std::uint64_t DeviceStage::steps() const { return value_at(step_number()); }

Passage DeviceStage::passage() const {
  Passage passage;
  passage.stage = number();
  passage.step = steps() - 1;
  passage.computed = computed_;
  std::vector<Tag> tags(arrived_);
  if (!tags.empty()) {
    ASSAY_CUDA_CHECK(cudaMemcpyAsync(tags.data(), memory_ + map_.arrivals(), tags.size() * sizeof(Tag),
                                     cudaMemcpyDeviceToHost, stream_));
    ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }
  for (const schedule::Action& action : program()) {
    if (action.what == schedule::What::receive)
      passage.arrivals.push_back({action, tags.at(passage.arrivals.size())});
  }
  return passage;
}

}  // namespace assay::plugins::pipeline
