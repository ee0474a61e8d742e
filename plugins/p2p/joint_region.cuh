// SPDX-License-Identifier: Apache-2.0
//
// A timed region over streams of several devices: the tasks of a group begin together behind start gates, and
// one group comes after another.
#pragma once

#include "p2p/lane_group.cuh"
#include "p2p/pieces.hpp"

#include <assay/benchmark.hpp>
#include <assay/case.hpp>
#include <assay/cuda/clock.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/gate.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::p2p {

// Iterations of one device operation each behind a gate, with the gate itself and the region's own events.
inline constexpr std::uint64_t kMostHeld = cuda::kGateLimit - 4;

struct JointPlan {
  std::uint64_t sets = 1;          // buffer sets that iterations go round
  bool rotating = false;           // the sets together are too large for the caches
  bool synchronises = false;       // queueing may wait for devices, so it can neither be gated nor captured
  std::uint64_t held = kMostHeld;  // at most this many iterations wait behind a gate
  Launch otherwise = Launch::standard;           // where the suite leaves the choice
  std::function<void(const cuda::Event&)> wait;  // instead of cuda::wait()
};

class JointRegion {
 public:
  // Launch is the case's condition. Throws Skip where it cannot be met.
  JointRegion(const Case& run, const std::vector<cuda::Device>& devices, JointPlan plan,
              std::vector<Group> groups)
      : run_(run), plan_(std::move(plan)), launch_(run.conditions().launch) {
    require_launch();
    std::vector<std::vector<Lane*>> on_device(devices.size());
    for (Group& group : groups) {
      std::vector<std::size_t> used(devices.size());
      std::vector<Lane*> chosen;
      for (const Task& task : group.tasks) {
        std::vector<Lane*>& lanes = on_device[task.device];
        if (used[task.device] == lanes.size()) {
          lanes_.push_back(std::make_unique<Lane>(devices[task.device]));
          lanes.push_back(lanes_.back().get());
        }
        chosen.push_back(lanes[used[task.device]++]);
      }
      groups_.emplace_back(std::move(group), std::move(chosen));
    }
    ran_.resize(groups_.size());
    // A kernel that is launched for the first time is loaded, which waits for what the device does.
    for (const std::unique_ptr<Lane>& lane : lanes_) {
      lane->device.make_current();
      lane->gate.close(lane->stream);
      lane->gate.open();
      cuda::wait(run_, lane->stream);
    }
    tick_s_ = cuda::event_tick_s(run_, stream_of(0));
  }

  Traits traits() const {
    Traits traits;
    traits.clock = Clock::device;
    traits.tick_s = tick_s_;
    traits.quantum = plan_.sets;
    traits.maximum = launch_ == Launch::gated ? plan_.held / plan_.sets * plan_.sets : 0;
    for (const LaneGroup& group : groups_)
      traits.launches_per_iteration += static_cast<std::uint32_t>(group.size());
    return traits;
  }

  std::size_t groups() const { return groups_.size(); }

  // One iteration of a group on every buffer set, ungated, waited for. It also loads what lazy loading left
  // out, so it has to run before the first gate is closed; run() sees to it.
  void once(std::size_t group) {
    for (std::uint64_t i = 0; i < plan_.sets; ++i) groups_[group].queue(i);
    groups_[group].end();
    wait_for(groups_[group]);
    ran_[group] = true;
  }

  // For a search before anything is measured: the stream of a group's first task, whose device becomes the
  // current one, and queueing one iteration of the whole group as a part of it.
  cudaStream_t stream_of(std::size_t group) const {
    groups_[group].first().device.make_current();
    return groups_[group].first().stream;
  }
  void join(std::size_t group) const {
    groups_[group].begin(false);
    groups_[group].queue(0);
    groups_[group].end();
  }

  // n iterations of every group; `each(group, times)` is told how long one iteration of it took, and each of
  // its transfers. Mode::profile leaves out the gates.
  template <class Each>
  void run(Mode mode, std::uint64_t n, Sample& sample, Each&& each) {
    sample.begin_ns = run_.now_ns();
    sample.device_s = sample.host_s = 0;
    bool gated = true;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      run_.throw_if_cancelled();
      if (!ran_[i]) once(i);
      PhaseTimes times = run_group(groups_[i], n, mode == Mode::profile, gated, sample);
      sample.device_s += times.all_s;
      const auto count = static_cast<double>(n);
      times.all_s /= count;
      for (double& own_s : times.own_s) own_s /= count;
      each(i, times);
    }
    sample.end_ns = run_.now_ns();
    if (gated) sample.done |= ASSAY_DONE_GATED;
    if (launch_ == Launch::graph) sample.done |= ASSAY_DONE_GRAPH;
    sample.done |= plan_.rotating ? ASSAY_DONE_ROTATED : ASSAY_DONE_HOT;
  }

 private:
  void require_launch() {
    if (plan_.synchronises) {
      if (launch_ != Launch::standard && launch_ != Launch::stream) {
        throw Skip(
            "copies through the host's memory may keep the calling thread busy, so they can only be "
            "measured with launch: stream");
      }
      launch_ = Launch::stream;
    }
    if (launch_ == Launch::standard) launch_ = plan_.otherwise;
    if (launch_ == Launch::gated && plan_.sets > plan_.held) {
      throw Skip("launch: gated takes " + std::to_string(plan_.held) +
                 " copies at most, and cache: rotating needs " + std::to_string(plan_.sets) +
                 "; take a larger 'bytes'");
    }
  }

  // Opens the gates whatever happens: a stream that waits would outlive an error by the gate's time-out.
  class OpenAtExit {
   public:
    explicit OpenAtExit(const LaneGroup& group) : group_(group) {}
    OpenAtExit(const OpenAtExit&) = delete;  // a scope's guard
    OpenAtExit& operator=(const OpenAtExit&) = delete;
    ~OpenAtExit() { group_.open(); }

   private:
    const LaneGroup& group_;
  };

  // What does not fit behind the gates is queued while the devices are busy with what did.
  PhaseTimes run_group(LaneGroup& group, std::uint64_t n, bool plain, bool& gated, Sample& sample) {
    const bool graphs = launch_ == Launch::graph;
    const Pieces pieces = pieces_of(n, graphs, plan_.sets, !plain && launch_ != Launch::stream, plan_.held);
    const std::uint64_t count = pieces.count();
    const bool gate = pieces.held > 0;
    if (graphs) group.capture({pieces.length(0), pieces.length(count - 1)});
    const OpenAtExit opened(group);
    std::int64_t begin_ns = run_.now_ns();
    const auto open = [&] {
      begin_ns = run_.now_ns();  // from here on the devices work, and host time counts
      group.open();
    };
    group.begin(gate);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (gate && i == pieces.held) open();
      graphs ? group.launch(pieces.length(i)) : group.queue(i);
    }
    group.end();
    if (pieces.held == count) open();
    wait_for(group);
    sample.host_s += static_cast<double>(run_.now_ns() - begin_ns) * 1e-9;
    if (gate) group.check_held();
    gated = gated && pieces.held == count;
    return group.times(tick_s_);
  }

  void wait_for(const LaneGroup& group) const {
    group.wait([&](const cuda::Event& event) { plan_.wait ? plan_.wait(event) : cuda::wait(run_, event); });
  }

  const Case& run_;
  JointPlan plan_;
  Launch launch_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<LaneGroup> groups_;
  std::vector<bool> ran_;  // by group
  double tick_s_ = 1e-6;
};

}  // namespace assay::plugins::p2p
