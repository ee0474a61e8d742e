// SPDX-License-Identifier: Apache-2.0
//
// Work in streams of several devices that begins and ends together.
#pragma once

#include "p2p/cells.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/gate.hpp>
#include <assay/cuda/graph.hpp>
#include <assay/cuda/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

namespace assay::plugins::p2p {

// One device operation of an iteration, in a stream of its own.
struct Task {
  std::size_t device = 0;  // which runs it, by its place
  // Queues iteration i. Its device is the current one; it must neither wait nor allocate.
  std::function<void(cudaStream_t, std::uint64_t i)> enqueue;
};

// Tasks at once.
struct Group {
  std::vector<Task> tasks;
  // Queues iteration i of all tasks in their streams by one call instead; cannot be captured.
  std::function<void(const std::vector<cudaStream_t>&, std::uint64_t i)> enqueue_all;
  std::vector<std::size_t> tasks_of;  // by transfer: the task at whose end it has arrived
};

// A stream of a device with what keeps time in it. What is made on the current device is made after the
// device became it.
struct Lane {
  explicit Lane(const cuda::Device& on) : device((on.make_current(), on)), gate(on) {}

  const cuda::Device& device;
  cuda::Stream stream;
  cuda::Event begin, end, all_ended;
  cuda::Gate gate;  // last: opened before anything else goes
};

// A group in its lanes, one for each task.
class LaneGroup {
 public:
  LaneGroup(Group group, std::vector<Lane*> lanes)
      : group_(std::move(group)), lanes_(std::move(lanes)), graphs_(lanes_.size()) {
    for (const Lane* lane : lanes_) streams_.push_back(lane->stream);
  }

  std::size_t size() const { return lanes_.size(); }
  const Lane& first() const { return *lanes_.front(); }

  void queue(std::uint64_t i) const {
    if (group_.enqueue_all) {
      group_.enqueue_all(streams_, i);
      return;
    }
    for (std::size_t task = 0; task < lanes_.size(); ++task) {
      lanes_[task]->device.make_current();
      group_.tasks[task].enqueue(streams_[task], i);
    }
  }

  // Makes graphs of this many iterations from the first on, for launch().
  void capture(std::initializer_list<std::uint64_t> lengths) {
    for (std::size_t task = 0; task < lanes_.size(); ++task) {
      std::map<std::uint64_t, cuda::Graph>& known = graphs_[task];
      // Calibration tries lengths that do not come again.
      if (known.size() >= kGraphsKept) known.clear();
      lanes_[task]->device.make_current();
      for (const std::uint64_t length : lengths) {
        if (known.count(length) != 0) continue;
        known.emplace(length, cuda::Graph::capture(streams_[task], [&] {
                        for (std::uint64_t i = 0; i < length; ++i)
                          group_.tasks[task].enqueue(streams_[task], i);
                      }));
      }
    }
  }
  void launch(std::uint64_t length) const {
    for (std::size_t task = 0; task < lanes_.size(); ++task) {
      lanes_[task]->device.make_current();
      graphs_[task].at(length).launch(streams_[task]);
    }
  }

  // Marks the beginning: behind a closed gate in each lane, or in the first lane, for which the others wait.
  void begin(bool gated) const {
    for (Lane* lane : lanes_) {
      lane->device.make_current();
      if (gated) {
        lane->gate.close(lane->stream);
      } else if (lane != &first()) {
        ASSAY_CUDA_CHECK(cudaStreamWaitEvent(lane->stream, first().begin, 0));
      }
      lane->begin.record(lane->stream);
    }
  }

  void open() const noexcept {
    for (Lane* lane : lanes_) lane->gate.open();
  }
  void check_held() const {
    for (const Lane* lane : lanes_) lane->gate.check_held();
  }

  // Marks the end of each lane, and of all in the first one, whose device becomes the current one.
  void end() const {
    for (const Lane* lane : lanes_) {
      lane->device.make_current();
      lane->end.record(lane->stream);
      if (lane != &first()) ASSAY_CUDA_CHECK(cudaStreamWaitEvent(first().stream, lane->end, 0));
    }
    first().device.make_current();
    first().all_ended.record(first().stream);
  }

  // Calls wait(event) for each lane's own end first: an error of its device would never show in another's.
  template <class Wait>
  void wait(Wait&& wait) const {
    for (const Lane* lane : lanes_) wait(lane->end);
    wait(first().all_ended);
  }

  // From the first lane's beginning until all had ended, and of each transfer in its own lane; no events of
  // two devices are compared. A duration below the clock's step reads as one step: a time is never zero.
  PhaseTimes times(double tick_s) const {
    std::vector<double> lanes_s;
    for (const Lane* lane : lanes_)
      lanes_s.push_back(std::max(tick_s, cuda::seconds_between(lane->begin, lane->end)));
    PhaseTimes times;
    for (const std::size_t task : group_.tasks_of) times.own_s.push_back(lanes_s[task]);
    // One lane alone has no other to wait for. Of several, another may have begun before the first by the
    // time between two gates.
    if (lanes_.size() > 1) lanes_s.push_back(cuda::seconds_between(first().begin, first().all_ended));
    times.all_s = *std::max_element(lanes_s.begin(), lanes_s.end());
    return times;
  }

 private:
  static constexpr std::size_t kGraphsKept = 4;  // of one task, of different lengths

  Group group_;
  std::vector<Lane*> lanes_;                                  // by task
  std::vector<cudaStream_t> streams_;                         // theirs
  std::vector<std::map<std::uint64_t, cuda::Graph>> graphs_;  // by task, then iterations
};

}  // namespace assay::plugins::p2p
