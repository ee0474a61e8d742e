// SPDX-License-Identifier: Apache-2.0
//
// direction: read, write, both. Copies between the memories of devices, each with a source and a destination
// of its own.
#pragma once

#include "lib/copy_kernel.cuh"
#include "p2p/copy_roles.hpp"
#include "p2p/exchange.hpp"
#include "p2p/pattern.hpp"
#include "p2p/schedule.hpp"

#include <assay/case.hpp>
#include <assay/cuda/compare.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/fill.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/verification.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <memory>
#include <string>
#include <vector>

namespace assay::plugins::p2p {

// What moves the bytes.
enum class Engine { copy, kernel, collective };

namespace detail {
namespace {

__global__ void fill_kernel(Word* words, std::uint64_t count, Pattern pattern) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    words[i] = pattern(i);
  }
}

}  // namespace
}  // namespace detail

class DeviceCopies : public Exchange {
 public:
  // `direct` says whether the devices reach each other's memory; where not, the driver goes through the
  // host's.
  DeviceCopies(const Case& run, const std::vector<cuda::Device>& devices, const std::vector<Phase>& phases,
               Direction direction, Engine engine, std::uint64_t bytes, std::uint64_t sets, bool direct)
      : run_(run),
        devices_(devices),
        direction_(direction),
        engine_(engine),
        bytes_(bytes),
        sets_(sets),
        direct_(direct) {
    for (const cuda::Device& device : devices_) {
      device.make_current();
      streams_.emplace_back();
    }
    const std::size_t words = bytes / sizeof(Word) * sets;
    for (const Phase& phase : phases) {
      Copies& copies = copies_.emplace_back();
      for (const Transfer& transfer : phase) {
        copies.push_back(std::make_unique<Copy>(
            Copy{transfer, {devices_[transfer.from], words}, {devices_[transfer.to], words}}));
      }
    }
  }

  std::vector<Group> groups() override {
    std::vector<Group> groups;
    for (const Copies& copies : copies_) {
      Group& group = groups.emplace_back();
      for (const std::unique_ptr<Copy>& copy : copies) {
        const Copy* const one = copy.get();
        group.tasks_of.push_back(group.tasks.size());
        group.tasks.push_back(
            {executor_of(one->transfer, direction_),
             [this, one](cudaStream_t stream, std::uint64_t i) { queue(*one, stream, i); }});
      }
    }
    return groups;
  }

  // The launch shape of a copying kernel.
  void shape(const CopyShape& shape) { shape_ = shape; }

  void restore() override {
    each([&](const Copy& copy) {
      devices_[copy.transfer.from].make_current();
      detail::fill_kernel<<<4096, 256, 0, streams_[copy.transfer.from]>>>(
          copy.source.data(), copy.source.size(), pattern(copy.transfer));
      ASSAY_CUDA_CHECK_LAUNCH("fill");
      devices_[copy.transfer.to].make_current();
      cuda::poison(streams_[copy.transfer.to], copy.destination);
    });
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      devices_[i].make_current();
      cuda::wait(run_, streams_[i]);
    }
  }

  // Every word by the device where it arrived, and some of them by the host, which gets them from there.
  void check(Verification& seen) override {
    seen.method("closed form, every word by the destination, a sample of them by the host");
    each([&](const Copy& copy) {
      const std::size_t to = copy.transfer.to;
      const Pattern expected = pattern(copy.transfer);
      const std::string name = devices_[copy.transfer.from].name() + " to " + devices_[to].name() + ": ";
      devices_[to].make_current();
      Verification by_device;
      cuda::compare(run_, devices_[to], streams_[to], copy.destination.data(), copy.destination.size(),
                    expected, by_device);
      seen.count(by_device.checked(), by_device.wrong(), name + by_device.reason());
      for (const auto& [first, count] : sampled_words(copy.destination.size())) {
        const std::vector<Word> words = copy.destination.copy_back(streams_[to], first, count);
        Misses misses;
        for (std::size_t i = 0; i < count; ++i) {
          if (words[i] == expected(first + i)) continue;
          if (misses.wrong++ == 0) misses.first = first + i;
        }
        seen.count(count, misses.wrong,
                   name + "the host finds another word at " + std::to_string(misses.first));
      }
    });
  }

 protected:
  struct Copy {
    Transfer transfer;
    cuda::DeviceBuffer<Word> source, destination;
  };
  using Copies = std::vector<std::unique_ptr<Copy>>;

  const Case& run() const { return run_; }
  const std::vector<Copies>& copies() const { return copies_; }  // by phase
  std::uint64_t words() const { return bytes_ / sizeof(Word); }
  // Of iteration i in a source or destination.
  std::uint64_t first_word(std::uint64_t i) const { return i % sets_ * words(); }

 private:
  template <class Use>
  void each(Use&& use) {
    for (const Copies& copies : copies_) {
      for (const std::unique_ptr<Copy>& copy : copies) {
        run_.throw_if_cancelled();
        use(*copy);
      }
    }
  }

  Pattern pattern(const Transfer& transfer) const {
    return {static_cast<std::uint32_t>(transfer.from), transfer.way, run_.seed(),
            static_cast<std::uint32_t>(transfer.to)};
  }

  void queue(const Copy& copy, cudaStream_t stream, std::uint64_t i) const {
    Word* const to = copy.destination.data() + first_word(i);
    const Word* const from = copy.source.data() + first_word(i);
    if (engine_ == Engine::kernel) {
      launch_copy(stream, shape_, to, from, bytes_);
    } else if (direct_) {
      ASSAY_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes_, cudaMemcpyDeviceToDevice, stream));
    } else {
      ASSAY_CUDA_CHECK(cudaMemcpyPeerAsync(to, devices_[copy.transfer.to].ordinal(), from,
                                           devices_[copy.transfer.from].ordinal(), bytes_, stream));
    }
  }

  const Case& run_;
  const std::vector<cuda::Device>& devices_;
  Direction direction_;
  Engine engine_;
  std::uint64_t bytes_, sets_;
  bool direct_;
  CopyShape shape_{1, 512, 4};
  std::vector<cuda::Stream> streams_;  // by device: of what is not measured
  std::vector<Copies> copies_;
};

}  // namespace assay::plugins::p2p
