// SPDX-License-Identifier: Apache-2.0
//
// A communicator over all GPUs of a case: those of all its ranks, which are processes, and of each rank all.
//
// Its calls are NCCL's blocking ones. Operations are only queued by them; what waits for other ranks is done
// so that it ends with the case: setting up, dividing and registering windows run in threads of their own,
// and wait() looks at the case and at NCCL's errors while it polls, and aborts. NCCL's non-blocking mode
// starts a thread for each call instead, which was measured as 50 µs a call against 9.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/errors.hpp>
#include <assay/group.hpp>
#include <assay/nccl/library.hpp>
#include <assay/nccl/memory.hpp>
#include <assay/nccl/rank_sets.hpp>
#include <assay/nccl/watched.hpp>

#include <algorithm>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <nccl.h>
#include <string>
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
    for (const cuda::Device& device : devices) ordinals_.push_back(device.ordinal());
    const auto made = detail::watched(
        [id, size = size_, first = first_, ordinals = ordinals_, &nccl = nccl_] {
          return in_group(nccl, "ncclCommInitRankConfig", ordinals, [&](std::size_t i, ncclComm_t& handle) {
            ncclConfig_t configuration = NCCL_CONFIG_INITIALIZER;
            configuration.blocking = 1;
            return nccl.ncclCommInitRankConfig(&handle, size, id, first + static_cast<int>(i),
                                               &configuration);
          });
        },
        [&run] { return run.cancelled(); });
    if (!made) throw Cancelled();  // the thread ends by itself, or with the process
    handles_ = handles_of(*made);
    devices.front().make_current();
  }
  // The ranks of `all` in groups of their own: those that give the same colour, in their order. Every rank
  // calls it, with a colour (from 0) for each of its devices. Throws Cancelled as above; `all` cannot be used
  // any more then.
  Communicator(const Case& run, Communicator& all, const std::vector<int>& colours)
      : nccl_(all.nccl_), ordinals_(all.ordinals_) {
    const auto made = detail::watched(
        [colours, parents = all.handles_, first = all.first_, ordinals = ordinals_, &nccl = nccl_] {
          return in_group(nccl, "ncclCommSplit", ordinals, [&](std::size_t i, ncclComm_t& handle) {
            return nccl.ncclCommSplit(parents[i], colours[i], first + static_cast<int>(i), &handle, nullptr);
          });
        },
        [&run] { return run.cancelled(); });
    if (!made) {
      all.leave();
      throw Cancelled();
    }
    handles_ = handles_of(*made);
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
  // False after an abort, and after a call that nobody waits for.
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

#if NCCL_VERSION_CODE >= 22700
  // Registers the memory of device `index`, together with that of all ranks, as one window. Every rank calls
  // it, with the same size. Null where NCCL registers nothing. Throws Cancelled when the case ends before all
  // have come; the communicator cannot be used any more then.
  ncclWindow_t register_window(const Case& run, std::size_t index, std::shared_ptr<const Buffer> memory) {
    struct Registered {
      ncclResult_t result = ncclSuccess;
      ncclWindow_t window = nullptr;
    };
    const auto seen = detail::watched(
        [memory = std::move(memory), handle = handle(index), ordinal = ordinals_.at(index), &nccl = nccl_] {
          Registered registered;
          cudaSetDevice(ordinal);
          registered.result = nccl.ncclCommWindowRegister(handle, memory->data(), memory->bytes(),
                                                          &registered.window, NCCL_WIN_COLL_SYMMETRIC);
          return registered;
        },
        [&run] { return run.cancelled(); });
    if (!seen) {
      leave();
      throw Cancelled();
    }
    check(seen->result, "ncclCommWindowRegister");
    return seen->window;
  }
#endif

  // What has to go before the communicator is given up: an abort waits for ever while graphs hold its
  // operations, so whoever has captured some destroys them here. Nothing takes it back.
  void before_giving_up(std::function<void()> what) { before_giving_up_ = std::move(what); }

  // Ends what was queued, wherever it is, and gives the handles back.
  void give_up() {
    if (const auto before = std::exchange(before_giving_up_, nullptr)) before();
    abort_all(nccl_, handles_);
    handles_.clear();
  }

 private:
  struct Made {
    std::vector<ncclComm_t> handles;
    std::string call;
    ncclResult_t result = ncclSuccess;
    cudaError_t device_result = cudaSuccess;
  };

  // Calls make(i, handle) for each device, which is the current one, as one group.
  template <class Make>
  static Made in_group(const Library& nccl, const char* call, const std::vector<int>& ordinals, Make&& make) {
    Made made{std::vector<ncclComm_t>(ordinals.size()), call};
    made.result = nccl.ncclGroupStart();
    if (made.result != ncclSuccess) return made;
    for (std::size_t i = 0; i < ordinals.size() && made.result == ncclSuccess; ++i) {
      made.device_result = cudaSetDevice(ordinals[i]);
      if (made.device_result != cudaSuccess) break;
      made.result = make(i, made.handles[i]);
    }
    const ncclResult_t ended = nccl.ncclGroupEnd();
    if (made.result == ncclSuccess) made.result = ended;
    if (made.result == ncclInProgress) abort_all(nccl, made.handles);
    return made;
  }

  static void abort_all(const Library& nccl, const std::vector<ncclComm_t>& handles) {
    nccl.ncclGroupStart();
    for (ncclComm_t handle : handles)
      if (handle) nccl.ncclCommAbort(handle);
    nccl.ncclGroupEnd();
  }

  static const std::vector<ncclComm_t>& handles_of(const Made& made) {
    cuda::check(made.device_result, "cudaSetDevice");
    if (made.result == ncclInProgress) {
      throw Skip(made.call +
                 " returned before it was done, as NCCL_COMM_BLOCKING=0 makes it, in the environment or in a "
                 "file of NCCL's settings; remove that setting: calls that return at once take longer, and "
                 "are not what is measured here");
    }
    if (made.result != ncclSuccess) fail(made.result, made.call);
    return made.handles;
  }

  // A thread that nobody waits for is in a call with the handles: whatever else was done with them could wait
  // for it for ever. The process keeps them to its end.
  void leave() { handles_.clear(); }

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
  std::vector<int> ordinals_;        // of each device
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
