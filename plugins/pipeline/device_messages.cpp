// SPDX-License-Identifier: Apache-2.0
#include "pipeline/device_messages.hpp"

#include "pipeline/device_signals.hpp"
#include "pipeline/tag.hpp"

#include <assay/cuda/error.hpp>

#include <utility>

namespace assay::plugins::pipeline {
namespace {

// Host's counts of what was queued in this step, by channel.
struct Queued {
  std::uint32_t sent = 0, received = 0;
};

class EventMessages final : public DeviceMessages {
 public:
  using DeviceMessages::DeviceMessages;

  bool may_send(const MessageAt& at) const override {
    return at.number < slots() || queued(at.channel).received + slots() > at.number;
  }
  bool may_receive(const MessageAt& at) const override { return queued(at.channel).sent > at.number; }
  bool may_go_on(const MessageAt& at) const override {
    return !waits() || queued(at.channel).received > at.number;
  }

  // In a step the first messages find their buffers free.
  void wait_for_buffer(cudaStream_t stream, const MessageAt& at) override {
    if (at.number >= slots()) wait(stream, events_[at.channel].taken, at);
  }
  void wait_for_message(cudaStream_t stream, const MessageAt& at) override {
    wait(stream, events_[at.channel].sent, at);
  }
  void wait_until_received(cudaStream_t stream, const MessageAt& at) override {
    if (waits()) wait(stream, events_[at.channel].taken, at);
  }
  void begin_step() override { queued_.clear(); }

 protected:
  void queued_send(cudaStream_t stream, const MessageAt& at) override {
    record(stream, events_[at.channel].sent, at);
    ++queued_[at.channel].sent;
  }
  void queued_receive(cudaStream_t stream, const MessageAt& at) override {
    record(stream, events_[at.channel].taken, at);
    ++queued_[at.channel].received;
  }
  bool has_flags() const override { return false; }

 private:
  struct Events {
    std::vector<cuda::Event> sent, taken;  // of each buffer
  };

  Queued queued(const schedule::Channel& channel) const {
    const auto known = queued_.find(channel);
    return known == queued_.end() ? Queued() : known->second;
  }
  void wait(cudaStream_t stream, const std::vector<cuda::Event>& events, const MessageAt& at) const {
    ASSAY_CUDA_CHECK(cudaStreamWaitEvent(stream, events.at(slot(at)), 0));
  }
  void record(cudaStream_t stream, std::vector<cuda::Event>& events, const MessageAt& at) const {
    while (events.size() < slots()) events.emplace_back();
    events[slot(at)].record(stream);
  }

  std::map<schedule::Channel, Events> events_;
  std::map<schedule::Channel, Queued> queued_;
};

class FlagMessages final : public DeviceMessages {
 public:
  FlagMessages(const std::vector<StageMap>& maps, std::vector<std::byte*> memories, std::uint32_t slots,
               bool waits, const std::uint32_t* abort)
      : DeviceMessages(maps, std::move(memories), slots, waits), abort_(abort) {}

  bool may_send(const MessageAt&) const override { return true; }
  bool may_receive(const MessageAt&) const override { return true; }
  bool may_go_on(const MessageAt&) const override { return true; }

  void wait_for_buffer(cudaStream_t stream, const MessageAt& at) override {
    wait_for_taken(stream, at.channel, slots());
  }
  void wait_for_message(cudaStream_t stream, const MessageAt& at) override {
    const StageMap::Inbox& box = inbox(at.channel);
    wait(stream, word_of_receiver(at.channel, box.sent), word_of_receiver(at.channel, box.taken), 0);
  }
  void wait_until_received(cudaStream_t stream, const MessageAt& at) override {
    if (waits()) wait_for_taken(stream, at.channel, 1);
  }

 protected:
  void queued_send(cudaStream_t, const MessageAt&) override {}
  void queued_receive(cudaStream_t, const MessageAt&) override {}
  bool has_flags() const override { return true; }

 private:
  void wait_for_taken(cudaStream_t stream, const schedule::Channel& channel, std::uint64_t ahead) const {
    const StageMap::Outbox& box = outbox(channel);
    wait(stream, word_of_sender(channel, box.taken), word_of_sender(channel, box.sent), ahead);
  }
  void wait(cudaStream_t stream, const std::uint64_t* told, const std::uint64_t* count,
            std::uint64_t ahead) const {
    queue_wait(stream, told, count, ahead, abort_);
  }

  const std::uint32_t* abort_;
};

}  // namespace

void DeviceMessages::copy_out(cudaStream_t stream, const MessageAt& at, std::uint32_t micro,
                              const std::uint64_t* step, const void* data, bool tells) const {
  const StageMap::Inbox& box = inbox(at.channel);
  const std::uint32_t to = slot(at);
  ASSAY_CUDA_CHECK(cudaMemcpyAsync(in_receiver(at.channel, box.data[to]), data, box.bytes,
                                   cudaMemcpyDeviceToDevice, stream));
  const bool flags = tells && has_flags();
  queue_publish(stream, step, micro, at.channel.from,
                reinterpret_cast<Tag*>(in_receiver(at.channel, box.tags[to])),
                flags ? word_of_sender(at.channel, outbox(at.channel).sent) : nullptr,
                flags ? word_of_receiver(at.channel, box.sent) : nullptr);
}

void DeviceMessages::copy_in(cudaStream_t stream, const MessageAt& at, void* data, std::byte* arrival,
                             bool tells) const {
  const StageMap::Inbox& box = inbox(at.channel);
  const std::uint32_t from = slot(at);
  ASSAY_CUDA_CHECK(cudaMemcpyAsync(data, in_receiver(at.channel, box.data[from]), box.bytes,
                                   cudaMemcpyDeviceToDevice, stream));
  const bool flags = tells && has_flags();
  queue_take(stream, reinterpret_cast<const Tag*>(in_receiver(at.channel, box.tags[from])),
             reinterpret_cast<Tag*>(arrival), flags ? word_of_receiver(at.channel, box.taken) : nullptr,
             flags ? word_of_sender(at.channel, outbox(at.channel).taken) : nullptr);
}

void DeviceMessages::send(cudaStream_t stream, const MessageAt& at, std::uint32_t micro,
                          const std::uint64_t* step, const void* data) {
  copy_out(stream, at, micro, step, data, true);
  queued_send(stream, at);
}

void DeviceMessages::receive(cudaStream_t stream, const MessageAt& at, void* data, std::byte* arrival) {
  copy_in(stream, at, data, arrival, true);
  queued_receive(stream, at);
}

void DeviceMessages::try_send(cudaStream_t stream, const MessageAt& at, std::uint32_t micro,
                              const std::uint64_t* step, const void* data) const {
  copy_out(stream, at, micro, step, data, false);
}

void DeviceMessages::try_receive(cudaStream_t stream, const MessageAt& at, void* data,
                                 std::byte* arrival) const {
  copy_in(stream, at, data, arrival, false);
}

std::unique_ptr<DeviceMessages> make_event_messages(const std::vector<StageMap>& maps,
                                                    std::vector<std::byte*> memories, std::uint32_t slots,
                                                    bool waits) {
  return std::make_unique<EventMessages>(maps, std::move(memories), slots, waits);
}

std::unique_ptr<DeviceMessages> make_flag_messages(const std::vector<StageMap>& maps,
                                                   std::vector<std::byte*> memories, std::uint32_t slots,
                                                   bool waits, const std::uint32_t* abort) {
  return std::make_unique<FlagMessages>(maps, std::move(memories), slots, waits, abort);
}

}  // namespace assay::plugins::pipeline
