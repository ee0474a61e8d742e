// SPDX-License-Identifier: Apache-2.0
//
// What a stage's passes cost by themselves: what the simulator is fed with.
#pragma once

#include "lib/schedule/simulate.hpp"
#include "pipeline/channels.hpp"
#include "pipeline/stage.hpp"
#include "pipeline/times.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace assay::plugins::pipeline {

// What it has measured adds up over several calls: before the samples and after them. Leaves parameters, gradients and
// state of no meaning.
class StageCosts {
 public:
  using Interruption = std::function<void()>;  // asked between passes; may throw

  StageCosts(Stage& stage, Stage::Clock now_ns, Interruption interrupt)
      : stage_(stage),
        now_ns_(std::move(now_ns)),
        interrupt_(std::move(interrupt)),
        of_chunk_(stage.chunks().size()) {}

  // The stage's passes in the order of its program, without its neighbours, and the update: as often as it takes to
  // know their medians.
  void measure_passes() {
    constexpr int kLeastRounds = 3, kMostRounds = 50;
    constexpr std::int64_t kEnough_ns = 50'000'000;
    const std::int64_t begin = now_ns_();
    for (int round = 0; round < kMostRounds && (round < kLeastRounds || now_ns_() - begin < kEnough_ns);
         ++round) {
      for (const auto& chunk : stage_.chunks()) chunk->begin_step();
      for (const schedule::Action& action : stage_.program()) {
        if (action.what == schedule::What::compute) one_pass(action.operation);
        interrupt_();
      }
      update_.add(seconds_of([&] { stage_.update(); }));
    }
  }

  // The copies of the channels that a stage sends over, or receives from: who measures one has the other wait.
  void measure_sends(Channels& channels, const std::vector<schedule::Channel>& from_here) {
    for (const schedule::Channel& channel : from_here) {
      const std::vector<float> message(channels.floats(channel));
      sends_[channel].add(seconds_of([&] { channels.try_send(channel, message.data()); }));
    }
  }
  void measure_receives(Channels& channels, const std::vector<schedule::Channel>& to_here) {
    for (const schedule::Channel& channel : to_here) {
      std::vector<float> message(channels.floats(channel));
      receives_[channel].add(seconds_of([&] { channels.try_receive(channel, message.data()); }));
    }
  }

  // What a value takes that is computed again is in the backward pass.
  schedule::PartCosts of_chunk(std::uint32_t chunk) const {
    const auto of = [&](schedule::Kind kind) {
      return of_chunk_[chunk][static_cast<std::size_t>(kind)].median();
    };
    return {of(schedule::Kind::forward), of(schedule::Kind::backward), of(schedule::Kind::input_gradient),
            of(schedule::Kind::weight_gradient), 0};
  }
  double update() const { return update_.median(); }
  double send(const schedule::Channel& channel) const { return sends_.at(channel).median(); }
  double receive(const schedule::Channel& channel) const { return receives_.at(channel).median(); }

 private:
  using KindTimes = std::array<Times, 4>;  // of each kind of operation

  template <class Work>
  double seconds_of(const Work& work) {
    const std::int64_t begin = now_ns_();
    work();
    return static_cast<double>(now_ns_() - begin) * 1e-9;
  }

  // What it is given is small numbers, as in training.
  void one_pass(const schedule::Operation& operation) {
    Chunk& chunk = *stage_.chunks()[operation.chunk];
    const bool forward = operation.kind == schedule::Kind::forward;
    const bool weight = operation.kind == schedule::Kind::weight_gradient;
    if (forward && !chunk.is_first())
      fill(chunk.place_for(operation.micro_batch), chunk.received_floats(), 1.0F);
    if (!forward && !weight && !chunk.is_last())
      fill(chunk.place_for_gradient(operation.micro_batch), chunk.result_floats(), 1e-3F);
    double loss = 0;
    of_chunk_[operation.chunk][static_cast<std::size_t>(operation.kind)].add(
        seconds_of([&] { stage_.compute(operation, loss); }));
  }

  static void fill(float* data, std::size_t count, float size) {
    for (std::size_t i = 0; i < count; ++i) data[i] = size * (static_cast<float>(i * 37 % 101) / 50 - 1);
  }

  Stage& stage_;
  Stage::Clock now_ns_;
  Interruption interrupt_;
  std::vector<KindTimes> of_chunk_;
  Times update_;
  std::map<schedule::Channel, Times> sends_, receives_;
};

}  // namespace assay::plugins::pipeline
