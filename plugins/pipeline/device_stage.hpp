// SPDX-License-Identifier: Apache-2.0
//
// One stage of a pipeline on a GPU: it queues the schedule's program in its stream, on its parts of the model, with an
// event before and behind everything.
#pragma once

#include "lib/cublaslt.hpp"
#include "lib/schedule/program.hpp"
#include "pipeline/device_chunk.hpp"
#include "pipeline/device_messages.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/passage.hpp"
#include "pipeline/stage_map.hpp"

#include <assay/cuda/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <vector>

namespace assay::plugins::pipeline {

// What was done of a program, and when: nanoseconds before the end of the stage's step.
struct DeviceEvent {
  schedule::Action action;
  std::int64_t begin_ns = 0, end_ns = 0;  // without what it waited for
  std::int64_t took_ns() const { return begin_ns - end_ns; }
};

// One at a time; all calls from one thread. Arguments outlive it.
class DeviceStage {
 public:
  DeviceStage(const cublaslt::Handle& handle, const Layout& layout, const DeviceOptions& options,
              const StageMap& map, std::byte* memory, model::FusedAttention* fused, cudaStream_t stream);

  // Each queues: all is as the seed says, and gradients are not numbers; or these alone.
  void restore(std::uint64_t seed);
  void destroy_gradients() const;

  // One step: begin(), then go_on() as often as it takes until is_done(). go_on() queues the next thing, and does
  // nothing but say false where another stage has to go on first. The last thing is the update.
  void begin();
  bool go_on(DeviceMessages& messages);
  bool is_done() const { return next_ > program().size(); }
  // The same without neighbours: copies are made, and nobody is waited for or told.
  void queue_alone(const DeviceMessages& messages);

  // When the stream has come to the end of it:
  const cuda::Event& end() const { return events_.back(); }
  std::vector<DeviceEvent> events() const;
  std::int64_t update_ns() const;
  // Of the stage with the last part, else 0.
  double loss() const;
  // Since restore().
  std::uint64_t steps() const;
  Passage passage() const;

  std::uint32_t number() const { return map_.stage(); }
  cudaStream_t stream() const { return stream_; }
  const std::vector<schedule::Action>& program() const { return map_.program(); }
  const std::vector<std::unique_ptr<DeviceChunk>>& chunks() const { return chunks_; }
  const model::StepState* inputs_state() const { return at<model::StepState>(map_.inputs_state()); }
  const std::uint64_t* step_number() const { return &at<model::StepCount>(map_.step_count())->step; }

 private:
  template <class Value>
  Value* at(std::size_t offset) const {
    return reinterpret_cast<Value*>(memory_ + offset);
  }
  template <class Value>
  Value value_at(const Value* there) const;

  void draw_samples(std::uint64_t seed) const;
  model::CudaBatch batch_of(const schedule::Operation& operation) const;
  void compute(const schedule::Operation& operation);
  MessageAt message_of(const schedule::Action& action);
  // Where the tag of the message that comes next in this step is kept.
  std::byte* next_arrival();
  void* place_for(const schedule::Action& action) const;
  const void* made_by(const schedule::Action& action) const;
  const cuda::Event& begin_of(std::size_t action) const { return events_[2 * action]; }
  const cuda::Event& end_of(std::size_t action) const { return events_[2 * action + 1]; }
  void finish();

  const Layout& layout_;
  const DeviceOptions& options_;
  const StageMap& map_;
  std::byte* const memory_;
  const cudaStream_t stream_;
  std::vector<std::unique_ptr<DeviceChunk>> chunks_;
  std::vector<cuda::Event> events_;  // two of each action, two of the update
  std::size_t next_ = 0;             // action; behind the last one the update
  bool awaits_ = false;              // has sent, and waits until that is received
  bool adds_loss_ = false;
  std::map<schedule::Channel, std::uint32_t> messages_;  // of this step, each channel's
  std::uint32_t arrived_ = 0;
  std::vector<schedule::Operation> computed_;
};

}  // namespace assay::plugins::pipeline
