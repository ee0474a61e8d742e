// SPDX-License-Identifier: Apache-2.0
//
// The GPUs of one process that take part, and one operation on all of them: queued, timed, waited for.
#pragma once

#include "collective/device_buffers.hpp"
#include "collective/nccl_operation.hpp"
#include "collective/operation.hpp"

#include <assay/case.hpp>
#include <assay/cuda/clock.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/graph.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/group.hpp>
#include <assay/nccl.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace assay::plugins::collective {

// One GPU of this process.
struct LocalRank {
  // `number` counts the local ranks of all processes.
  LocalRank(cuda::Device of, std::uint32_t number, std::uint32_t ranks)
      : device((of.make_current(), std::move(of))), rank(number % ranks), group(number / ranks) {}

  cuda::Device device;  // the current one while the rest is made
  std::uint32_t rank;   // in its group
  std::uint32_t group;
  cuda::Stream stream;
  cuda::Event begin, end, marks[2];
  std::unique_ptr<DeviceBuffers> buffers{};
};

class LocalRanks {
 public:
  // All ranks call it. `ranks` of each group of neighbours, which have a communicator of their own if they
  // are not all. Throws Cancelled when the case ends before all have come.
  LocalRanks(const Case& run, const Group& group, std::uint32_t ranks) : run_(run), settings_(run) {
    std::vector<cuda::Device> devices;
    std::vector<int> colours;
    const std::uint32_t first = group.rank() * run.device_count();
    for (std::uint32_t i = 0; i < run.device_count(); ++i) {
      devices.push_back(cuda::Device::select(run, i));
      local_ranks_.push_back(std::make_unique<LocalRank>(devices.back(), first + i, ranks));
      colours.push_back(static_cast<int>(local_ranks_.back()->group));
    }
    all_ = communicator_ = &nccl::communicator(run, group, devices);
    if (ranks != group.size() * run.device_count()) {
      own_ = std::make_unique<nccl::Communicator>(run, *all_, colours);
      communicator_ = own_.get();
    }
    communicator_->before_giving_up([this] { graphs_.clear(); });
  }
  LocalRanks(const LocalRanks&) = delete;  // GPUs may be busy with its memory
  LocalRanks& operator=(const LocalRanks&) = delete;
  ~LocalRanks() {
    graphs_.clear();
    communicator_->before_giving_up(nullptr);
    if (!communicator_->usable()) return;
    // What others will never join would keep the memory from being freed.
    if (in_flight_) {
      communicator_->give_up();
      if (own_) all_->give_up();
      return;
    }
    for (const auto& local : local_ranks_) {
      if (local->buffers) local->buffers->withdraw();
    }
  }

  // Buffers for this operation. `layout(rank)` is in elements, without gaps, `pieces(rank)` has place for it.
  template <class LayoutOf, class PiecesOf>
  void allocate(const NcclCall& call, Registration registration, LayoutOf&& layout, PiecesOf&& pieces) {
    call_ = call;
    for (std::size_t i = 0; i < local_ranks_.size(); ++i) {
      LocalRank& local = *local_ranks_[i];
      local.buffers =
          std::make_unique<DeviceBuffers>(run_, local.device, *communicator_, i, layout(local.rank),
                                          pieces(local.rank), bytes_of(call.type), registration);
    }
  }

  // Calls body(local) for each, whose device is the current one.
  template <class Body>
  void each(Body&& body) const {
    for (const auto& local : local_ranks_) {
      local->device.make_current();
      body(*local);
    }
  }

  // Seconds of the smallest step of a GPU's events.
  double tick_s() const {
    local_ranks_.front()->device.make_current();
    return cuda::event_tick_s(run_, local_ranks_.front()->stream);
  }

  // `n` operations on all GPUs of this process, one behind the other, and seconds from the first one's begin
  // to the last one's end on the GPU that took longest.
  double back_to_back(std::uint64_t n) {
    return timed([&] { in_turns(n, 1, [&] { queue(); }); });
  }
  // The same, replayed from a graph of `each` operations; n is a multiple. For one GPU a process.
  double replayed(std::uint64_t n, std::uint64_t each) {
    const cudaStream_t stream = local_ranks_.front()->stream;
    if (graphs_.count(each) == 0) {
      graphs_.emplace(each, cuda::Graph::capture(stream, [&] {
                        for (std::uint64_t i = 0; i < each; ++i) queue();
                      }));
    }
    const cuda::Graph& graph = graphs_.at(each);
    return timed([&] { in_turns(n, each, [&] { graph.launch(stream); }); });
  }
  // One, waited for.
  void once() {
    in_flight_ = true;
    queue();
    end();
  }

 private:
  template <class Queue>
  double timed(Queue&& queue_all) {
    in_flight_ = true;
    each([](const LocalRank& local) { local.begin.record(local.stream); });
    queue_all();
    end();
    double longest_s = 0;
    for (const auto& local : local_ranks_)
      longest_s = std::max(longest_s, cuda::seconds_between(local->begin, local->end));
    return longest_s;
  }

  // Queues n operations, `in_call` with each call of `queue_some`. After every kBetweenMarks operations it waits for
  // the mark before the last, behind which the GPU still has enough to do. Without these waits CUDA would block
  // a thread that queues more than a thousand operations, and the death of a rank would go unnoticed; and an abort
  // takes some 23 ms for each operation that is still queued (tests/gpu/probes/nccl_ranks.cpp).
  template <class Queue>
  void in_turns(std::uint64_t n, std::uint64_t in_call, Queue&& queue_some) {
    std::uint64_t since = 0, marks = 0;
    for (std::uint64_t i = 0; i < n; i += in_call) {
      if (since >= kBetweenMarks) {
        since = 0;
        const std::uint64_t last = marks++ % 2;
        each([&](const LocalRank& local) { local.marks[last].record(local.stream); });
        for (const auto& local : local_ranks_)
          if (marks > 1) communicator_->wait(run_, local->marks[1 - last]);
      }
      queue_some();
      since += in_call;
    }
  }

  void queue() {
    if (local_ranks_.size() == 1) {
      queue_on(0);
      return;
    }
    nccl::CallGroup group;
    for (std::size_t i = 0; i < local_ranks_.size(); ++i) queue_on(i);
    group.end();
  }

  void queue_on(std::size_t i) {
    const LocalRank& local = *local_ranks_[i];
    collective::queue(call_, communicator_->handle(i), static_cast<int>(local.rank), local.buffers->send(),
                      local.buffers->receive(), local.stream);
  }

  void end() {
    each([](const LocalRank& local) { local.end.record(local.stream); });
    for (const auto& local : local_ranks_) communicator_->wait(run_, local->end);
    in_flight_ = false;
  }

  static constexpr std::uint64_t kBetweenMarks = 32;  // operations

  const Case& run_;
  const nccl::FileSettings settings_;
  nccl::Communicator* all_ = nullptr;  // the plugin keeps it for later cases
  std::unique_ptr<nccl::Communicator> own_;
  nccl::Communicator* communicator_ = nullptr;  // the one of the two that is used
  std::vector<std::unique_ptr<LocalRank>> local_ranks_;
  NcclCall call_;
  std::map<std::uint64_t, cuda::Graph> graphs_;  // by their number of operations
  bool in_flight_ = false;
};

}  // namespace assay::plugins::collective
