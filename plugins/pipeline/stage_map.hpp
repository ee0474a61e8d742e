// SPDX-License-Identifier: Apache-2.0
//
// Where everything lies that a stage has on its GPU: one piece of memory, planned from the layout alone. Every rank can
// plan every stage, and so finds its neighbours' things in memory that it has mapped.
#pragma once

#include "lib/model/cuda_arithmetic.hpp"
#include "lib/model/cuda_plan.hpp"
#include "lib/model/update.hpp"
#include "lib/schedule/program.hpp"
#include "pipeline/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::plugins::pipeline {

struct DeviceOptions {
  model::Arithmetic arithmetic = model::Arithmetic::fp32;
  model::Optimizer optimizer = model::Optimizer::adamw;
  bool recompute = false;
  bool fused = false;  // attention
  std::uint32_t buffers = 2;
};

// Bytes of a stage, by what lies there.
struct DeviceStageBytes {
  std::uint64_t parameters = 0, gradients = 0, state = 0, copy = 0;
  std::uint64_t in_flight = 0;  // what micro-batches keep between their passes
  std::uint64_t passing = 0;    // what lives in a pass alone
  std::uint64_t workspace = 0;  // of the library's products
  std::uint64_t messages = 0;   // that others send to it
  std::uint64_t inputs = 0;     // samples, labels, cosines and sines of positions, counts

  // The driver gives memory in pieces of 2 MiB.
  std::uint64_t total() const;
  std::string formula() const;
};

// Offsets are in bytes from the begin of the stage's memory, each a multiple of 256.
class StageMap {
 public:
  StageMap(const Layout& layout, std::uint32_t stage, const DeviceOptions& options);

  struct Chunk {
    std::uint32_t part = 0;
    model::CudaPlan plan;
    model::TensorPlaces places;
    // Of arrays of TensorPlaces::size() numbers; of SGD there are no moments, where types are one no copy.
    std::size_t parameters = 0, gradients = 0, first_moments = 0, second_moments = 0, copy = 0;
    std::vector<std::size_t> kept = {};      // sets of CudaPlan::arena_bytes
    std::vector<std::size_t> received = {};  // of recompute: sets of what it is given
    std::size_t given_gradient = 0;          // of recompute: the gradient, while values are computed again
    std::size_t received_bytes = 0, result_bytes = 0;
  };
  // The receiver's end of a channel, and the sender's, which is in the sender's memory.
  struct Inbox {
    std::size_t bytes = 0;          // of a message
    std::vector<std::size_t> tags;  // of each buffer
    std::vector<std::size_t> data;
    std::size_t sent = 0;   // messages so far, written by the sender
    std::size_t taken = 0;  // counted here
  };
  struct Outbox {
    std::size_t taken = 0;  // written by the receiver
    std::size_t sent = 0;   // counted here
  };

  std::uint32_t stage() const { return stage_; }
  const std::vector<Chunk>& chunks() const { return chunks_; }
  const Inbox& inbox(const schedule::Channel& channel) const { return inboxes_.at(channel); }
  const Outbox& outbox(const schedule::Channel& channel) const { return outboxes_.at(channel); }
  const std::vector<schedule::Action>& program() const { return program_; }

  std::size_t passing() const { return passing_; }
  std::size_t workspace() const { return workspace_; }
  std::size_t turns() const { return turns_; }
  std::size_t tokens() const { return tokens_; }
  std::size_t features() const { return features_; }
  std::size_t labels() const { return labels_; }
  std::size_t step_count() const { return step_count_; }
  std::size_t inputs_state() const { return inputs_state_; }
  std::size_t loss() const { return loss_; }
  std::size_t arrivals() const {
    return arrivals_;
  }  // a Tag for each message of a step, in the program's order

  const DeviceStageBytes& bytes() const { return bytes_; }

 private:
  std::size_t take(std::uint64_t& category, std::size_t bytes);
  void plan_chunk(const Layout& layout, const DeviceOptions& options, std::uint32_t chunk);
  void plan_inputs(const Layout& layout, const DeviceOptions& options);
  void plan_messages(const Layout& layout, const DeviceOptions& options);

  std::uint32_t stage_;
  std::vector<schedule::Action> program_;
  std::vector<Chunk> chunks_;
  std::map<schedule::Channel, Inbox> inboxes_;
  std::map<schedule::Channel, Outbox> outboxes_;
  std::size_t passing_ = 0, workspace_ = 0, turns_ = 0, tokens_ = 0, features_ = 0, labels_ = 0;
  std::size_t step_count_ = 0, inputs_state_ = 0, loss_ = 0, arrivals_ = 0;
  std::size_t end_ = 0;
  DeviceStageBytes bytes_;
};

// Of all stages.
std::vector<StageMap> maps_of(const Layout& layout, const DeviceOptions& options);

// Messages between two stages for which there is a place.
std::uint32_t message_slots(const Layout& layout, std::uint32_t buffers);

}  // namespace assay::plugins::pipeline
