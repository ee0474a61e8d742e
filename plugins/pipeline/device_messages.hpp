// SPDX-License-Identifier: Apache-2.0
//
// How stages on GPUs hand over activations and gradients: by copies into buffers in the receiver's memory, which say
// which micro-batch of which step they are and from which part. All of it is queued in the stages' streams.
#pragma once

#include "lib/schedule/program.hpp"
#include "pipeline/stage_map.hpp"

#include <assay/cuda/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <vector>

namespace assay::plugins::pipeline {

// One message of a step: the `number`-th of its channel, counted from 0 in each step.
struct MessageAt {
  schedule::Channel channel;
  std::uint32_t number = 0;
};

// Of all stages of this process, with each stage's memory as this process sees it. All calls from one thread.
class DeviceMessages {
 public:
  // `memories` are the stages' in their order; `waits`: who sends waits until it is received. `maps` outlive it.
  DeviceMessages(const std::vector<StageMap>& maps, std::vector<std::byte*> memories, std::uint32_t slots,
                 bool waits)
      : maps_(maps), memories_(std::move(memories)), slots_(slots), waits_(waits) {}
  DeviceMessages(const DeviceMessages&) = delete;  // what it queued holds addresses
  DeviceMessages& operator=(const DeviceMessages&) = delete;
  virtual ~DeviceMessages() = default;

  // Whether what a stage has to wait for has been queued, so that its own work may be.
  virtual bool may_send(const MessageAt& at) const = 0;
  virtual bool may_receive(const MessageAt& at) const = 0;
  virtual bool may_go_on(const MessageAt& at) const = 0;

  // Queue that the stream goes on when there is a buffer; a message is there; it has been received.
  virtual void wait_for_buffer(cudaStream_t stream, const MessageAt& at) = 0;
  virtual void wait_for_message(cudaStream_t stream, const MessageAt& at) = 0;
  virtual void wait_until_received(cudaStream_t stream, const MessageAt& at) = 0;

  // Queues the copy and what says that it is there. `step` on the device counts from 1. Behind wait_for_buffer().
  void send(cudaStream_t stream, const MessageAt& at, std::uint32_t micro, const std::uint64_t* step,
            const void* data);
  // Queues the copy, what its tag is, and that its buffer is free. Behind wait_for_message().
  void receive(cudaStream_t stream, const MessageAt& at, void* data, std::byte* arrival);
  // The same of the message that lies there already, with nobody told: what they take, measured alone.
  void try_send(cudaStream_t stream, const MessageAt& at, std::uint32_t micro, const std::uint64_t* step,
                const void* data) const;
  void try_receive(cudaStream_t stream, const MessageAt& at, void* data, std::byte* arrival) const;

  bool waits() const { return waits_; }
  // A step is over on all stages.
  virtual void begin_step() {}

 protected:
  virtual void queued_send(cudaStream_t stream, const MessageAt& at) = 0;
  virtual void queued_receive(cudaStream_t stream, const MessageAt& at) = 0;
  // The words that flags are kept in; none where events tell.
  virtual bool has_flags() const = 0;

  std::uint32_t slots() const { return slots_; }
  std::uint32_t slot(const MessageAt& at) const { return at.number % slots_; }
  std::uint32_t sender(const schedule::Channel& channel) const { return channel.from % stages(); }
  std::uint32_t receiver(const schedule::Channel& channel) const { return channel.to % stages(); }
  const StageMap::Inbox& inbox(const schedule::Channel& channel) const {
    return maps_[receiver(channel)].inbox(channel);
  }
  const StageMap::Outbox& outbox(const schedule::Channel& channel) const {
    return maps_[sender(channel)].outbox(channel);
  }
  std::byte* in_receiver(const schedule::Channel& channel, std::size_t offset) const {
    return memories_[receiver(channel)] + offset;
  }
  std::byte* in_sender(const schedule::Channel& channel, std::size_t offset) const {
    return memories_[sender(channel)] + offset;
  }
  std::uint64_t* word_of_receiver(const schedule::Channel& channel, std::size_t offset) const {
    return reinterpret_cast<std::uint64_t*>(in_receiver(channel, offset));
  }
  std::uint64_t* word_of_sender(const schedule::Channel& channel, std::size_t offset) const {
    return reinterpret_cast<std::uint64_t*>(in_sender(channel, offset));
  }

 private:
  std::uint32_t stages() const { return static_cast<std::uint32_t>(maps_.size()); }
  void copy_out(cudaStream_t stream, const MessageAt& at, std::uint32_t micro, const std::uint64_t* step,
                const void* data, bool tells) const;
  void copy_in(cudaStream_t stream, const MessageAt& at, void* data, std::byte* arrival, bool tells) const;

  const std::vector<StageMap>& maps_;
  const std::vector<std::byte*> memories_;
  const std::uint32_t slots_;
  const bool waits_;
};

// All stages are in this process, on one device: events tell.
std::unique_ptr<DeviceMessages> make_event_messages(const std::vector<StageMap>& maps,
                                                    std::vector<std::byte*> memories, std::uint32_t slots,
                                                    bool waits);
// Each stage is in a process of its own. A stage signals by a count in the memory of the waiting stage, whose kernel of
// one thread polls the count. All counts are 0 at first. Once *abort (in host memory that the device reads) is not 0,
// no kernel waits any more. The queued work may be captured.
std::unique_ptr<DeviceMessages> make_flag_messages(const std::vector<StageMap>& maps,
                                                   std::vector<std::byte*> memories, std::uint32_t slots,
                                                   bool waits, const std::uint32_t* abort);

}  // namespace assay::plugins::pipeline
