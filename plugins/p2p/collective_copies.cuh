// SPDX-License-Identifier: Apache-2.0
//
// engine: collective. The same copies by NCCL's send and receive. Source and destination both run a kernel,
// so a copy has arrived when the destination's ended.
#pragma once

#include "p2p/device_copies.cuh"

#include <assay/cuda/device.hpp>
#include <assay/group.hpp>
#include <assay/nccl.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <vector>

namespace assay::plugins::p2p {

class CollectiveCopies final : public DeviceCopies {
 public:
  // Iterations that may wait behind a gate: NCCL has to keep what it was asked for until a kernel takes it.
  static constexpr std::uint64_t kHeld = 64;

  CollectiveCopies(const Case& run, const std::vector<cuda::Device>& devices,
                   const std::vector<Phase>& phases, Direction direction, std::uint64_t bytes,
                   std::uint64_t sets)
      : DeviceCopies(run, devices, phases, direction, Engine::collective, bytes, sets, true),
        settings_(run),
        communicator_(nccl::communicator(run, assay::Group(run), devices)) {
    run.fact("nccl", nccl::Library::get().version());
  }

  // A task for each device that takes part, whatever it sends and gets.
  std::vector<Group> groups() override {
    std::vector<Group> groups;
    for (const Copies& copies : this->copies()) {
      Group& group = groups.emplace_back();
      std::vector<Call> calls;
      const auto task_on = [&](std::size_t device) {
        const auto same = [&](const Task& task) { return task.device == device; };
        const auto known = std::find_if(group.tasks.begin(), group.tasks.end(), same);
        if (known != group.tasks.end()) return static_cast<std::size_t>(known - group.tasks.begin());
        group.tasks.push_back({device, nullptr});
        return group.tasks.size() - 1;
      };
      for (const auto& copy : copies) {
        calls.push_back({copy.get(), task_on(copy->transfer.from), task_on(copy->transfer.to)});
        group.tasks_of.push_back(calls.back().receiver);
      }
      group.enqueue_all = [this, calls](const std::vector<cudaStream_t>& streams, std::uint64_t i) {
        queue(calls, streams, i);
      };
    }
    return groups;
  }

  // Waits for an event; aborts what NCCL has under way when the case ends before, or NCCL sees an error.
  void wait(const cuda::Event& event) { communicator_.wait(run(), event); }

 private:
  struct Call {
    const Copy* copy;
    std::size_t sender, receiver;  // tasks
  };

  void queue(const std::vector<Call>& calls, const std::vector<cudaStream_t>& streams,
             std::uint64_t i) const {
    const nccl::Library& nccl = nccl::Library::get();
    ASSAY_NCCL_CHECK(nccl.ncclGroupStart());
    ncclResult_t result = ncclSuccess;
    const auto keep = [&](ncclResult_t now) {
      if (result == ncclSuccess) result = now;
    };
    for (const Call& call : calls) {
      const Transfer& transfer = call.copy->transfer;
      keep(nccl.ncclSend(call.copy->source.data() + first_word(i), words(), ncclUint64,
                         static_cast<int>(transfer.to), communicator_.handle(transfer.from),
                         streams[call.sender]));
      keep(nccl.ncclRecv(call.copy->destination.data() + first_word(i), words(), ncclUint64,
                         static_cast<int>(transfer.from), communicator_.handle(transfer.to),
                         streams[call.receiver]));
    }
    keep(nccl.ncclGroupEnd());  // always: a group that stays open would take in what comes later
    nccl::check(result, "ncclSend and ncclRecv");
  }

  const nccl::FileSettings settings_;
  nccl::Communicator& communicator_;
};

}  // namespace assay::plugins::p2p
