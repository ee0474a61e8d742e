// SPDX-License-Identifier: Apache-2.0
//
// What a stage's passes cost by themselves: what the simulator is fed with.
#pragma once

#include "lib/schedule/simulate.hpp"
#include "pipeline/channels.hpp"
#include "pipeline/stage.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace assay::plugins::pipeline {

// Times of one thing, in seconds, from all that were ever measured of it.
class Times {
 public:
  void add(double seconds) { seconds_.push_back(seconds); }
  bool empty() const { return seconds_.empty(); }
  // 0 without any.
  double median() const {
    if (seconds_.empty()) return 0;
    std::vector<double> sorted = seconds_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

 private:
  std::vector<double> seconds_;
};

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

  // Passes and update, as often as it takes to know their median.
  void measure_passes(bool split) {
    constexpr int kLeastRounds = 5, kMostRounds = 50;
    constexpr std::int64_t kEnough_ns = 50'000'000;
    const std::int64_t begin = now_ns_();
    for (int round = 0; round < kMostRounds && (round < kLeastRounds || now_ns_() - begin < kEnough_ns);
         ++round) {
      for (std::uint32_t chunk = 0; chunk < of_chunk_.size(); ++chunk) one_round(chunk, split);
      update_.add(seconds_of([&] { stage_.update(); }));
      interrupt_();
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

  schedule::PartCosts of_chunk(std::uint32_t chunk) const {
    const ChunkTimes& times = of_chunk_[chunk];
    return {times.forward.median(), times.backward.median(), times.input.median(), times.weight.median(), 0};
  }
  double update() const { return update_.median(); }
  double send(const schedule::Channel& channel) const { return sends_.at(channel).median(); }
  double receive(const schedule::Channel& channel) const { return receives_.at(channel).median(); }

 private:
  struct ChunkTimes {
    Times forward, backward, input, weight;
  };

  template <class Work>
  double seconds_of(const Work& work) {
    const std::int64_t begin = now_ns_();
    work();
    return static_cast<double>(now_ns_() - begin) * 1e-9;
  }

  // A micro-batch forward and backward. What it is given is small numbers, as in training.
  void one_round(std::uint32_t number, bool split) {
    Chunk& chunk = *stage_.chunks()[number];
    ChunkTimes& times = of_chunk_[number];
    double loss = 0;
    chunk.begin_step();
    const auto pass = [&](schedule::Kind kind) {
      return seconds_of([&] { stage_.compute({kind, 0, number}, loss); });
    };
    if (!chunk.is_first()) fill(chunk.place_for(0), chunk.received_floats(), 1.0F);
    times.forward.add(pass(schedule::Kind::forward));
    if (!chunk.is_last()) fill(chunk.place_for_gradient(0), chunk.result_floats(), 1e-3F);
    if (!split) {
      times.backward.add(pass(schedule::Kind::backward));
      return;
    }
    times.input.add(pass(schedule::Kind::input_gradient));
    times.weight.add(pass(schedule::Kind::weight_gradient));
  }

  static void fill(float* data, std::size_t count, float size) {
    for (std::size_t i = 0; i < count; ++i) data[i] = size * (static_cast<float>(i * 37 % 101) / 50 - 1);
  }

  Stage& stage_;
  Stage::Clock now_ns_;
  Interruption interrupt_;
  std::vector<ChunkTimes> of_chunk_;
  Times update_;
  std::map<schedule::Channel, Times> sends_, receives_;
};

}  // namespace assay::plugins::pipeline
