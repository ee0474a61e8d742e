// SPDX-License-Identifier: Apache-2.0
//
// Passing on by NCCL's broadcast instead of by copies. For sources that see NCCL's header.
#pragma once

#include "broadcast/rounds.hpp"
#include "broadcast/sender.hpp"
#include "broadcast/several_devices.hpp"

#include <assay/case.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/group.hpp>
#include <assay/nccl.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nccl.h>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::broadcast {

class NcclOnward final : public Onward {
 public:
  // Throws Skip where there is no library.
  static void require() { nccl::Library::get(); }

  NcclOnward(const Case& run, const Devices& devices, int root, Memory memory)
      : nccl_(nccl::Library::get()),
        settings_(run),
        all_(nccl::communicator(run, Group(run), devices)),
        memory_(std::move(memory)),
        root_(root) {
    for (const cuda::Device& device : devices) {
      const OnDevice on(device);
      streams_.emplace_back();
      ended_.emplace_back();
    }
  }
  NcclOnward(const NcclOnward&) = delete;  // its streams may be busy
  NcclOnward& operator=(const NcclOnward&) = delete;
  ~NcclOnward() override {
    for (const cuda::Stream& stream : streams_) cudaStreamSynchronize(stream);
  }

  [[nodiscard]] std::string library() const { return "NCCL " + nccl_.version(); }

  void begin(const Signal& fork) override {
    for (const cuda::Stream& stream : streams_) fork.hold(stream);
  }

  void pass_on(const Signal& arrived, std::uint64_t begin, std::uint64_t end) override {
    const auto root = static_cast<std::size_t>(root_);
    arrived.hold(streams_[root]);
    ASSAY_NCCL_CHECK(nccl_.ncclGroupStart());
    ncclResult_t result = ncclSuccess;
    for (std::size_t i = 0; i < streams_.size() && result == ncclSuccess; ++i) {
      result = nccl_.ncclBroadcast(memory_.destinations[root] + begin, memory_.destinations[i] + begin,
                                   end - begin, ncclInt8, root_, all_.handle(i), streams_[i]);
    }
    // Whatever happened: a group that stays open would take in what comes later.
    const ncclResult_t ended = nccl_.ncclGroupEnd();
    nccl::check(result, "ncclBroadcast");
    nccl::check(ended, "ncclGroupEnd");
  }

  void end(cudaStream_t main) override {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      ended_[i].record(streams_[i]);
      ended_[i].hold(main);
    }
  }

  // On each device, for each piece, with what it queues for itself.
  [[nodiscard]] std::uint64_t operations() const override { return 8; }

  void give_up() noexcept override {
    try {
      if (all_.usable()) all_.give_up();
    } catch (...) {
      // It is being given up already.
    }
  }

 private:
  const nccl::Library& nccl_;
  const nccl::FileSettings settings_;
  nccl::Communicator& all_;
  Memory memory_;
  int root_;
  std::vector<cuda::Stream> streams_;  // of each device
  std::vector<Signal> ended_;
};

}  // namespace assay::plugins::broadcast
