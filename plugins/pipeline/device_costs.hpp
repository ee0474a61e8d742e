// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a stage's step took, from all steps that it made alone.
#pragma once

#include "lib/schedule/simulate.hpp"
#include "pipeline/device_stage.hpp"
#include "pipeline/times.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace assay::plugins::pipeline {

class DeviceCosts {
 public:
  explicit DeviceCosts(std::uint32_t chunks) : of_chunk_(chunks) {}

  // Of the step that the stage has made last, and that is done.
  void add(const DeviceStage& stage) {
    for (const DeviceEvent& event : stage.events()) {
      const double seconds = static_cast<double>(event.took_ns()) * 1e-9;
      switch (event.action.what) {
        case schedule::What::compute:
          of_chunk_[event.action.operation.chunk][static_cast<std::size_t>(event.action.operation.kind)].add(
              seconds);
          break;
        case schedule::What::send:
          sends_[event.action.channel].add(seconds);
          break;
        case schedule::What::receive:
          receives_[event.action.channel].add(seconds);
          break;
      }
    }
    update_.add(static_cast<double>(stage.update_ns()) * 1e-9);
  }

  // What a value takes that is computed again is in the backward pass.
  schedule::PartCosts of_chunk(std::uint32_t chunk) const {
    const auto of = [&](schedule::Kind kind) {
      return of_chunk_[chunk][static_cast<std::size_t>(kind)].median();
    };
    return {of(schedule::Kind::forward), of(schedule::Kind::backward), 0, 0, 0};
  }
  double update() const { return update_.median(); }
  double send(const schedule::Channel& channel) const { return sends_.at(channel).median(); }
  double receive(const schedule::Channel& channel) const { return receives_.at(channel).median(); }

 private:
  std::vector<std::array<Times, 4>> of_chunk_;  // of each kind of operation
  Times update_;
  std::map<schedule::Channel, Times> sends_, receives_;
};

}  // namespace assay::plugins::pipeline
