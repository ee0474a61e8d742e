// SPDX-License-Identifier: Apache-2.0
//
// How stages hand over activations and gradients: by copies into memory that they share and out of it. Each message
// says which micro-batch of which step it is and from which part, so that what passed where can be checked.
#pragma once

#include "lib/rank_memory.hpp"
#include "lib/schedule/program.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/tag.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace assay::plugins::pipeline {

// Where channels lie in the shared memory.
class ChannelMap {
 public:
  ChannelMap(const Layout& layout, std::uint32_t buffers)
      : waits_(buffers == 0), slots_(std::clamp(buffers, 1U, layout.schedule.micro_batches)) {
    for (std::uint32_t part = 0; part + 1 < layout.schedule.parts(); ++part) {
      const std::size_t floats = model::handed_over(layout.parts[part], layout.micro_batch);
      for (const schedule::Channel channel : {schedule::Channel{part, part + 1}, {part + 1, part}}) {
        places_[channel] = {bytes_, floats};
        bytes_ += sizeof(Counts) + slots_ * slot_bytes(floats);
      }
    }
  }

  // Of all channels, and of some.
  std::size_t bytes() const { return bytes_; }
  std::size_t bytes_at(const std::vector<schedule::Channel>& channels) const {
    std::size_t sum = 0;
    for (const schedule::Channel& channel : channels)
      sum += sizeof(Counts) + slots_ * slot_bytes(places_.at(channel).floats);
    return sum;
  }

 private:
  friend class Channels;
  struct Counts {
    RankProgress sent, taken;
  };
  struct Place {
    std::size_t offset = 0, floats = 0;
  };
  static constexpr std::size_t kLine = 64;

  static std::size_t slot_bytes(std::size_t floats) {
    return kLine + (floats * sizeof(float) + kLine - 1) / kLine * kLine;
  }

  bool waits_;
  std::uint32_t slots_;
  std::map<schedule::Channel, Place> places_;
  std::size_t bytes_ = 0;
};

// One stage's ends of them. All calls from one thread; those that wait throw Cancelled.
class Channels {
 public:
  // `memory` is map.bytes() of zeros that all stages have mapped, aligned to a cache line. `cancelled` says that
  // waiting is to end.
  Channels(ChannelMap map, std::byte* memory, bool crowded, std::function<bool()> cancelled)
      : map_(std::move(map)),
        memory_(memory),
        spins_(crowded ? kSpinsCrowded : kSpins),
        cancelled_(std::move(cancelled)) {}

  std::size_t floats(const schedule::Channel& channel) const { return map_.places_.at(channel).floats; }

  // Until there is a buffer for one more message.
  void wait_for_buffer(const schedule::Channel& channel) {
    const std::uint64_t count = sent_[channel];
    if (count >= map_.slots_) wait(counts(channel).taken, count + 1 - map_.slots_);
  }
  // Behind wait_for_buffer().
  void send(const schedule::Channel& channel, const Tag& tag, const float* data) {
    std::uint64_t& count = sent_[channel];
    std::byte* to = slot(channel, count);
    std::memcpy(to, &tag, sizeof(tag));
    copy_in(channel, count, data);
    counts(channel).sent.raise(static_cast<std::uint32_t>(++count));
  }
  // Makes the sender wait for the receiver; returns at once where there are buffers.
  void wait_until_received(const schedule::Channel& channel) {
    if (map_.waits_) wait(counts(channel).taken, sent_[channel]);
  }

  // Until a message is there.
  void wait_for_message(const schedule::Channel& channel) { wait(counts(channel).sent, taken_[channel] + 1); }
  // Behind wait_for_message().
  Tag receive(const schedule::Channel& channel, float* data) {
    std::uint64_t& count = taken_[channel];
    Tag tag;
    std::memcpy(&tag, slot(channel, count), sizeof(tag));
    copy_out(channel, count, data);
    counts(channel).taken.raise(static_cast<std::uint32_t>(++count));
    return tag;
  }

  // The copies alone, of the next message's buffer, for measuring what they take.
  void try_send(const schedule::Channel& channel, const float* data) {
    copy_in(channel, sent_[channel], data);
  }
  void try_receive(const schedule::Channel& channel, float* data) {
    copy_out(channel, taken_[channel], data);
  }

 private:
  // Progress wraps; this does not.
  void wait(RankProgress& progress, std::uint64_t count) {
    progress.wait_for(static_cast<std::uint32_t>(count), spins_, cancelled_);
  }
  ChannelMap::Counts& counts(const schedule::Channel& channel) const {
    return *reinterpret_cast<ChannelMap::Counts*>(memory_ + map_.places_.at(channel).offset);
  }
  std::byte* slot(const schedule::Channel& channel, std::uint64_t message) const {
    const ChannelMap::Place place = map_.places_.at(channel);
    return memory_ + place.offset + sizeof(ChannelMap::Counts) +
           message % map_.slots_ * ChannelMap::slot_bytes(place.floats);
  }
  void copy_in(const schedule::Channel& channel, std::uint64_t message, const float* data) const {
    std::memcpy(slot(channel, message) + ChannelMap::kLine, data, floats(channel) * sizeof(float));
  }
  void copy_out(const schedule::Channel& channel, std::uint64_t message, float* data) const {
    std::memcpy(data, slot(channel, message) + ChannelMap::kLine, floats(channel) * sizeof(float));
  }

  ChannelMap map_;
  std::byte* memory_;
  int spins_;
  std::function<bool()> cancelled_;
  std::map<schedule::Channel, std::uint64_t> sent_, taken_;  // messages so far
};

}  // namespace assay::plugins::pipeline
