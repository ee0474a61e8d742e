// SPDX-License-Identifier: Apache-2.0
//
// A communicator over all GPUs of a case: those of all its ranks, which are processes, and of each rank all.
//
// Its calls are NCCL's blocking ones. They only queue work; what has to wait is done here, where it ends with
// the case: setting it up runs in a thread of its own, and wait() looks at the case and at NCCL's errors
// while it polls, and aborts. NCCL's non-blocking mode starts a thread for each call instead, which was
// measured as 50 µs a call against 9.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/errors.hpp>
#include <assay/group.hpp>
#include <assay/nccl/library.hpp>
#include <assay/nccl/rank_sets.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <nccl.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace assay::nccl {

class Communicator {
 public:
  // Every rank of the group calls it, with equally many devices. Ranks of the communicator are counted
  // through the processes' devices. Throws Cancelled when the case ends before it is set up.
  Communicator(const Case& run, const Group& group, const std::vector<cuda::Device>& devices)
      : nccl_(Library::get()),
        size_(static_cast<int>(group.size() * devices.size())),
        first_(static_cast<int>(group.rank() * devices.size())) {
    ncclUniqueId id{};
    if (group.rank() == 0) ASSAY_NCCL_CHECK(nccl_.ncclGetUniqueId(&id));
    group.broadcast(id);
    std::vector<int> ordinals;
    for (const cuda::Device& device : devices) ordinals.push_back(device.ordinal());
    handles_ = set_up(run, id, ordinals);
    devices.front().make_current();
  }
  // The ranks of `all` in groups of their own: those that give the same colour, in their order. Every rank
  // calls it, with a colour (from 0) for each of its devices.
  Communicator(const Communicator& all, const std::vector<int>& colours) : nccl_(all.nccl_) {
    handles_.resize(all.handles_.size());
    CallGroup group;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      ASSAY_NCCL_CHECK(nccl_.ncclCommSplit(all.handles_[i], colours.at(i), all.first_ + static_cast<int>(i),
                                           &handles_[i], nullptr));
    }
    group.end();
    ASSAY_NCCL_CHECK(nccl_.ncclCommCount(handles_.front(), &size_));
    ASSAY_NCCL_CHECK(nccl_.ncclCommUserRank(handles_.front(), &first_));
  }
  Communicator(const Communicator&) = delete;  // owns handles
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() {
    for (ncclComm_t handle : handles_) nccl_.ncclCommDestroy(handle);
  }

  // Of this process's device `index`.
  ncclComm_t handle(std::size_t index = 0) const { return handles_.at(index); }
  // Ranks of all processes, or of the first device's group, and the number of this process's first there.
  int size() const { return size_; }
  int first() const { return first_; }
  // False after an abort.
  bool usable() const { return !handles_.empty(); }

  // Waits until the event has happened, spinning. Throws Cancelled when the case should end and Failure after
  // an error of NCCL's, which may be another rank's; the communicator is aborted then, its kernels end, and
  // it cannot be used any more.
  void wait(const Case& run, const cuda::Event& event) {
    constexpr unsigned kLook = 64, kLookAtErrors = 16 * kLook;
    for (unsigned polls = 1;; ++polls) {
      const cudaError_t code = cudaEventQuery(event);
      if (code == cudaSuccess) return;
      if (code != cudaErrorNotReady) {
        give_up();
        cuda::fail(code, "cudaEventQuery");
      }
      if (polls % kLook != 0) continue;
      if (run.cancelled()) {
        give_up();
        throw Cancelled();
      }
      if (polls % kLookAtErrors == 0) look_at_errors();
    }
  }

  // Waits for all that was queued in the stream, which is of the current device.
  void wait(const Case& run, cudaStream_t stream) {
    const cuda::Event event;
    event.record(stream);
    wait(run, event);
  }

  // What has to go before the communicator is given up: an abort waits for ever while graphs hold its
  // operations, so whoever has captured some destroys them here. Nothing takes it back.
  void before_giving_up(std::function<void()> what) { before_giving_up_ = std::move(what); }

  // Ends what was queued, wherever it is, and gives the handles back.
  void give_up() {
    if (const auto before = std::exchange(before_giving_up_, nullptr)) before();
    nccl_.ncclGroupStart();
    for (ncclComm_t handle : handles_) nccl_.ncclCommAbort(handle);
    nccl_.ncclGroupEnd();
    handles_.clear();
  }

 private:
  // What the thread that sets it up shares with the one that waits: it may outlive the case.
  struct Attempt {
    std::vector<ncclComm_t> handles;
    ncclResult_t result = ncclSuccess;
    cudaError_t device_result = cudaSuccess;
    std::atomic<bool> done = false;
  };

  std::vector<ncclComm_t> set_up(const Case& run, const ncclUniqueId& id,
                                 const std::vector<int>& ordinals) const {
    const auto attempt = std::make_shared<Attempt>();
    attempt->handles.resize(ordinals.size());
    std::thread worker([attempt, id, ordinals, size = size_, first = first_, &nccl = nccl_] {
      nccl.ncclGroupStart();
      for (std::size_t i = 0; i < ordinals.size(); ++i) {
        ncclConfig_t configuration = NCCL_CONFIG_INITIALIZER;
        configuration.blocking = 1;
        attempt->device_result = cudaSetDevice(ordinals[i]);
        if (attempt->device_result != cudaSuccess) break;
        attempt->result = nccl.ncclCommInitRankConfig(&attempt->handles[i], size, id,
                                                      first + static_cast<int>(i), &configuration);
        if (attempt->result != ncclSuccess) break;
      }
      const ncclResult_t ended = nccl.ncclGroupEnd();
      if (attempt->result == ncclSuccess) attempt->result = ended;
      attempt->done.store(true, std::memory_order_release);
    });
    while (!attempt->done.load(std::memory_order_acquire)) {
      if (run.cancelled()) {
        worker.detach();  // NCCL gives up by itself, or ends with the process
        throw Cancelled();
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    worker.join();
    cuda::check(attempt->device_result, "cudaSetDevice");
    if (attempt->result != ncclSuccess) fail(attempt->result, "ncclCommInitRankConfig");
    return attempt->handles;
  }

  void look_at_errors() {
    for (ncclComm_t handle : handles_) {
      ncclResult_t now = ncclSuccess;
      const ncclResult_t asked = nccl_.ncclCommGetAsyncError(handle, &now);
      const ncclResult_t seen = asked != ncclSuccess ? asked : now;
      if (seen == ncclSuccess || seen == ncclInProgress) continue;
      const std::string text = nccl_.ncclGetErrorString(seen);
      give_up();
      throw Failure("an operation between ranks was given up: " + text, status_of(seen), "nccl", seen);
    }
  }

  const Library& nccl_;
  int size_ = 0, first_ = 0;
  std::vector<ncclComm_t> handles_;  // of each device; none after an abort
  std::function<void()> before_giving_up_;
};

namespace detail {

struct KeptCommunicator {
  std::uint64_t generation = 0;  // 0: none
  std::unique_ptr<Communicator> communicator;
};

}  // namespace detail

// The communicator over these devices, which later cases of the same ranks find again: setting one up takes
// tenths of a second. Every rank of the group calls it. One that was aborted, on any rank, is set up anew,
// and so is one since which sixteen others were used. Valid for the visit.
inline Communicator& communicator(const Case& run, const Group& group,
                                  const std::vector<cuda::Device>& devices) {
  std::string names;
  for (const cuda::Device& device : devices) names += device.uuid() + " ";
  const detail::RankSet all_devices = group.allgather(detail::number_of(names));
  auto& kept =
      run.keep<detail::KeptByRankSet<detail::KeptCommunicator>>(
             "assay.nccl", [] { return std::make_unique<detail::KeptByRankSet<detail::KeptCommunicator>>(); })
          .of(all_devices);
  const bool usable = kept.communicator && kept.communicator->usable();
  const std::vector<std::uint64_t> all = group.allgather(usable ? kept.generation : std::uint64_t{0});
  if (detail::belong_together(all)) return *kept.communicator;
  kept.communicator.reset();
  kept.communicator = std::make_unique<Communicator>(run, group, devices);
  kept.generation = *std::max_element(all.begin(), all.end()) + 1;
  return *kept.communicator;
}

}  // namespace assay::nccl
